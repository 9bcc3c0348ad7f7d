/* The laws hold in all traces of up to nine commits, and the model has the traces that they are about. */
module laws

open claims

OneHolder: check { no Present implies oneHolder } for 2 Job, 4 Lock, 10 Version expect 0
Fence: check { no Present implies fence } for 2 Job, 4 Lock, 10 Version expect 0
Expiry: check { no Present implies expiry } for 2 Job, 4 Lock, 10 Version expect 0
NoWorkLost: check { no Present implies noWorkLost } for 2 Job, 4 Lock, 10 Version expect 0
FinishedOnce: check { no Present implies finishedOnce } for 2 Job, 4 Lock, 10 Version expect 0
RunsOnceMore: check { no Present implies runsOnceMore } for 2 Job, 4 Lock, 10 Version expect 0
RemovedHalts: check { no Present implies removed } for 2 Job, 4 Lock, 10 Version expect 0
RowsAgree: check { no Present implies rowsAgree } for 2 Job, 4 Lock, 10 Version expect 0

EachVerb: run {
  no Present
  all each: Verb | some v: verb.each | each = Run or some v.changed
} for 2 Job, 4 Lock, 13 Version expect 1

/* A claim expires, and another finishes the job. */
SecondHolder: run {
  no Present and some e: verb.Expire, v: verb.Finish & e.nexts | v.jobs in e.changed
} for 1 Job, 2 Lock, 6 Version expect 1

/* A job is finished by a transaction that has not seen its last heartbeat. */
UnseenHeartbeat: run {
  no Present and some v: verb.Finish, beat: verb.Heartbeat & v.at.nexts & v.prevs | v.jobs in beat.jobs
} for 1 Job, 1 Lock, 5 Version expect 1

/* The monitor clears an activity row that a finished job has left. */
LeftActivityRow: run {
  no Present and some v: verb.Expire | no v.changed and v.jobs in v.state.Finished
} for 1 Job, 1 Lock, 5 Version expect 1
