/* Each defect breaks laws, in a trace of few commits. */
module defects

open claims

-- The Erlang original.

ResubmitIgnoresLock_OneHolder: check {
  Present = ResubmitIgnoresLock implies oneHolder
} for 1 Job, 2 Lock, 6 Version expect 1
ResubmitIgnoresLock_FinishedOnce: check {
  Present = ResubmitIgnoresLock implies finishedOnce
} for 1 Job, 2 Lock, 7 Version expect 1
ResubmitIgnoresLock_RunsOnceMore: check {
  Present = ResubmitIgnoresLock implies runsOnceMore
} for 1 Job, 2 Lock, 6 Version expect 1
ExpiryIgnoresSequence_Expiry: check {
  Present = ExpiryIgnoresSequence implies expiry
} for 1 Job, 1 Lock, 5 Version expect 1
ExpiryIgnoresSequence_FinishedOnce: check {
  Present = ExpiryIgnoresSequence implies finishedOnce
} for 1 Job, 1 Lock, 5 Version expect 1
/* In the original an accept claims one job. */
OneActivityKey_RowsAgree: check {
  Present = OneActivityKey and (all v: verb.Accept | one v.jobs) implies rowsAgree
} for 2 Job, 2 Lock, 6 Version expect 1
HaltIsAnAnswer_Fence: check {
  Present = HaltIsAnAnswer implies fence
} for 1 Job, 2 Lock, 6 Version expect 1

-- Planted, so that each law is seen to fail.

AcceptWithoutConflict_OneHolder: check {
  Present = AcceptWithoutConflict implies oneHolder
} for 1 Job, 2 Lock, 5 Version expect 1
FenceWithoutConflict_Fence: check {
  Present = FenceWithoutConflict implies fence
} for 1 Job, 2 Lock, 6 Version expect 1
ExpiryMissesHeartbeats_Expiry: check {
  Present = ExpiryMissesHeartbeats implies expiry
} for 1 Job, 1 Lock, 5 Version expect 1
FlagMissesHeartbeats_RowsAgree: check {
  Present = FlagMissesHeartbeats implies rowsAgree
} for 1 Job, 1 Lock, 5 Version expect 1
ExpiryWithoutQueue_Expiry: check {
  Present = ExpiryWithoutQueue implies expiry
} for 1 Job, 1 Lock, 4 Version expect 1
ExpiryWithoutQueue_RowsAgree: check {
  Present = ExpiryWithoutQueue implies rowsAgree
} for 1 Job, 1 Lock, 4 Version expect 1
FinishIgnoresLock_NoWorkLost: check {
  Present = FinishIgnoresLock implies noWorkLost
} for 1 Job, 2 Lock, 6 Version expect 1
FinishIgnoresLock_FinishedOnce: check {
  Present = FinishIgnoresLock implies finishedOnce
} for 1 Job, 1 Lock, 5 Version expect 1
FinishIgnoresFlag_RunsOnceMore: check {
  Present = FinishIgnoresFlag implies runsOnceMore
} for 1 Job, 1 Lock, 5 Version expect 1
UpdateWithoutRow_RemovedHalts: check {
  Present = UpdateWithoutRow implies removed
} for 1 Job, 1 Lock, 5 Version expect 1
