/*
 * Claim, heartbeat, expiry, end and fence: the rows of jobs, the transactions that change them, and what holds in every
 * version of the database. A version is made by the commit of one transaction, which has read an earlier version. The
 * transaction commits unless a commit in between has written a key that it has read.
 *
 * There are no processors: a transaction acts under the lock of a claim. Those of a slow processor come late, those of
 * a dead one do not come. A transaction that gets halt commits nothing, so it is in no trace.
 */
module claims

open util/ordering[Version] as versions

sig Job {}

/* A random lock: accept draws one for each job that it claims. */
sig Lock {}

abstract sig State {}

one sig Pending, Running, Finished extends State {}

abstract sig Verb {}

one sig Add, Remove, Accept, Heartbeat, Update, Run, Finish, Release, Resubmit, Expire extends Verb {}

sig Version {
  -- the transaction that has made this version
  verb: lone Verb,
  at: lone Version, -- its read version
  jobs: set Job, -- the jobs whose rows it reads
  by: Job lone -> lone Lock, -- the locks that it acts under
  note: lone Version, -- a version that was T old when the activity monitor read
  changed: set Job, -- the jobs whose rows it writes
  -- the rows after it; a job exists if it has a state
  state: Job -> lone State,
  holder: Job -> lone Lock, -- JobLock
  sequence: Job -> lone Version, -- of the claim, or of the last heartbeat
  flagged: set Job, -- Resubmit
  finishedBy: Job -> lone Lock,
  queue: set Job,
  activity: Version -> Job
}

/* What another design does. The first four are defects of the Erlang original, the others are planted. */
abstract sig Defect {}

one sig
  ResubmitIgnoresLock, -- resubmit does not compare the lock
  ExpiryIgnoresSequence, -- the monitor puts back each job that an old activity row names
  OneActivityKey, -- the jobs that one transaction renews have the same activity key
  HaltIsAnAnswer, -- a verb says halt, and the other writes of the transaction commit
  AcceptWithoutConflict, -- accept reads the rows of jobs without a conflict
  FenceWithoutConflict, -- run reads the row of its job without a conflict
  ExpiryMissesHeartbeats, -- the monitor does not conflict with heartbeats
  FlagMissesHeartbeats, -- a flag does not conflict with heartbeats
  ExpiryWithoutQueue, -- the monitor writes no row in the queue
  FinishIgnoresLock, -- finish does not compare the lock
  FinishIgnoresFlag, -- finish of a flagged job finishes it
  UpdateWithoutRow -- update writes the row of a removed job again
  extends Defect {}

sig Present in Defect {}

/* The version that a commit changes; the transaction has read that or an earlier one. */
fun was[v: Version]: lone Version {
  v.prev
}

-- Conflicts. A heartbeat writes the row without a conflict, and a key of its own with one (decision 20). The library
-- has further conflicts, as over activity rows: with fewer of them the model has more traces.

fun rowReads[v: Version]: set Job {
  v.verb = Accept and AcceptWithoutConflict in Present implies none
  else v.verb = Run and FenceWithoutConflict in Present implies none
  else v.jobs
}

fun rowWrites[v: Version]: set Job {
  v.verb = Heartbeat implies none else v.changed
}

/* The jobs that expire, and those whose rows keep the sequence that was read. */
fun heartbeatReads[v: Version]: set Job {
  v.verb = Expire implies (ExpiryMissesHeartbeats in Present implies none else v.changed)
  else FlagMissesHeartbeats in Present implies none
  else { j: v.changed | some v.sequence[j] and v.sequence[j] = v.at.sequence[j] }
}

fun heartbeatWrites[v: Version]: set Job {
  v.verb = Heartbeat implies v.changed else none
}

fact commits {
  all v: Version - first, c: v.at.nexts & v.prevs {
    no rowReads[v] & rowWrites[c]
    no heartbeatReads[v] & heartbeatWrites[c]
  }
}

-- Rows.

fact begin {
  no first.verb and no first.at and no first.jobs and no first.by and no first.note and no first.changed
  no first.state and no first.holder and no first.sequence and no first.flagged and no first.finishedBy
  no first.queue and no first.activity
}

fact transitions {
  all v: Version - first {
    one v.verb and one v.at and v.at in v.prevs and some v.jobs and v.changed in v.jobs and v.by.Lock in v.jobs
    v.verb = Expire iff some v.note
    v.verb in Add + Remove + Expire implies no v.by else v.by.Lock = v.jobs
    v.verb != Accept implies v.by in (v.prevs & verb.Accept).by -- a processor has the locks of claims that were made
    v.verb not in Accept + Heartbeat + Expire implies one v.jobs
    all j: Job - v.changed | same[v, was[v], j]
    v.verb = Add implies add[v]
    v.verb = Remove implies remove[v]
    v.verb = Accept implies accept[v]
    v.verb in Heartbeat + Update implies renew[v]
    v.verb = Run implies write[v]
    v.verb in Finish + Release implies end[v]
    v.verb = Resubmit implies resubmit[v]
    v.verb = Expire implies expire[v]
    v.queue = was[v].queue - dequeued[v] + queued[v]
    indexed[v]
  }
}

/* A row that is as it was in an earlier version. */
pred same[v, earlier: Version, j: Job] {
  v.state[j] = earlier.state[j]
  v.holder[j] = earlier.holder[j]
  v.sequence[j] = earlier.sequence[j]
  v.finishedBy[j] = earlier.finishedBy[j]
  j in v.flagged iff j in earlier.flagged
}

pred idle[v: Version, j: Job, s: lone State, last: lone Lock] {
  v.state[j] = s and no v.holder[j] and no v.sequence[j] and j not in v.flagged and v.finishedBy[j] = last
}

pred running[v: Version, j: Job, lock: Lock, stamp: Version] {
  v.state[j] = Running and v.holder[j] = lock and v.sequence[j] = stamp and no v.finishedBy[j]
}

/* The flag of a running job, with the rest of its row as read. In the caller's transaction resubmit also renews. */
pred flag[v: Version, j: Job] {
  some stamp: v.at.sequence[j] + (v.verb = Resubmit implies v else none) | running[v, j, v.at.holder[j], stamp]
  j in v.flagged
}

pred holds[v: Version, j: Job] {
  v.at.holder[j] = v.by[j]
}

-- Verbs. Each reads the version `at` alone.

pred add[v: Version] {
  all j: v.jobs {
    v.at.state[j] = Pending or j in v.changed
    j in v.changed implies (v.at.state[j] = Running implies flag[v, j] else idle[v, j, Pending, v.at.finishedBy[j]])
  }
}

pred remove[v: Version] {
  v.changed = v.jobs & v.at.state.State
  all j: v.changed | idle[v, j, none, none]
}

pred accept[v: Version] {
  v.changed = v.jobs
  all j: v.jobs {
    j in v.at.queue and v.at.state[j] = Pending
    running[v, j, v.by[j], v] and j not in v.flagged
  }
  no Job.(v.by) & Job.((v.prevs & verb.Accept).by) -- new locks
}

pred renew[v: Version] {
  v.changed = v.jobs
  all j: v.jobs {
    holds[v, j] or (v.verb = Update and UpdateWithoutRow in Present and no v.at.state[j])
    running[v, j, v.by[j], v]
    j in v.flagged iff j in v.at.flagged
  }
}

pred write[v: Version] {
  no v.changed
  HaltIsAnAnswer in Present or holds[v, v.jobs]
}

pred end[v: Version] {
  v.changed = v.jobs
  all j: v.jobs {
    holds[v, j] or (v.verb = Finish and FinishIgnoresLock in Present and some v.at.state[j])
    (v.verb = Release or (j in v.at.flagged and FinishIgnoresFlag not in Present))
      implies idle[v, j, Pending, v.by[j]]
      else idle[v, j, Finished, v.by[j]]
  }
}

pred resubmit[v: Version] {
  v.changed = v.jobs
  all j: v.jobs {
    holds[v, j] or (no v.at.holder[j] and v.at.finishedBy[j] = v.by[j])
      or (ResubmitIgnoresLock in Present and some v.at.state[j])
    v.at.state[j] = Running implies flag[v, j] else idle[v, j, Pending, v.at.finishedBy[j]]
  }
}

/* The activity rows that a monitor has read: those that are not after its note. */
fun silent[v: Version]: Version -> Job {
  (v.note + v.note.prevs) <: v.at.activity :> v.jobs
}

pred expire[v: Version] {
  v.note in v.at + v.at.prevs and v.jobs = Version.(silent[v])
  v.changed = { j: v.jobs |
    some v.at.sequence[j] & silent[v].j or (ExpiryIgnoresSequence in Present and some v.at.state[j]) }
  all j: v.changed | idle[v, j, Pending, none]
}

-- What follows from the rows, as in JobTransaction.save: from the row as read, and the row as written.

fun dequeued[v: Version]: set Job {
  { j: v.changed | v.at.state[j] = Pending and v.state[j] != Pending }
}

fun queued[v: Version]: set Job {
  v.verb = Expire and ExpiryWithoutQueue in Present implies none else { j: v.changed | v.state[j] = Pending }
}

/* The jobs whose rows get the version of the commit. */
fun stamped[v: Version]: set Job {
  { j: v.changed | v.sequence[j] = v }
}

fun cleared[v: Version]: Version -> Job {
  { s: Version, j: v.changed | s = v.at.sequence[j] and s != v.sequence[j] } + silent[v]
}

/* The update of a job that the same transaction ends or removes may leave an activity row. */
pred indexed[v: Version] {
  let left = { j: v.jobs & v.at.state.Running | v.verb in Finish + Release + Remove } |
    OneActivityKey in Present
      implies {
        some stamped[v] implies one v.activity[v] and v.activity[v] in stamped[v]
        some stamped[v] or no v.activity[v]
        v.activity - (v -> Job) = was[v].activity - (cleared[v].Job -> Job)
      } else {
        stamped[v] in v.activity[v] and v.activity[v] in stamped[v] + left
        v.activity - (v -> Job) = was[v].activity - cleared[v]
      }
}

-- Laws.

/* A job is claimed while no processor holds it, and only its holder renews, writes, ends or flags it by its claim. */
pred oneHolder {
  all v: Version - first, j: v.jobs {
    v.verb = Accept implies was[v].state[j] = Pending
    v.verb in Heartbeat + Update + Finish + Release implies was[v].holder[j] = v.by[j]
    v.verb = Resubmit implies v.by[j] in was[v].holder[j] + was[v].finishedBy[j]
  }
}

/* What is written through a job commits only while its lock is in the row. */
pred fence {
  all v: Version - first | v.verb = Run implies was[v].holder[v.jobs] = v.by[v.jobs]
}

/* A claim expires only if it has no heartbeat after the note; the job is then in the queue. */
pred expiry {
  all v: Version - first, j: v.changed | v.verb = Expire implies {
    was[v].state[j] = Running and was[v].sequence[j] in v.note + v.note.prevs
    v.state[j] = Pending and j in v.queue
  }
}

/* A job that waits or runs does so until its holder finishes it, or until it is removed. */
pred noWorkLost {
  all v: Version - first, j: was[v].state.(Pending + Running) |
    v.state[j] in Pending + Running and some v.state[j]
      or (j in v.jobs and v.verb = Remove)
      or (j in v.jobs and v.verb = Finish and was[v].holder[j] = v.by[j])
}

/* A claim finishes its job once. A finished job is so until it is added, resubmitted by that claim, or removed. */
pred finishedOnce {
  all disj v, w: verb.Finish, j: v.jobs & w.jobs | v.by[j] != w.by[j]
  all v: Version - first, j: was[v].state.Finished |
    v.state[j] = Finished or (j in v.jobs and v.verb in Add + Remove)
      or (j in v.jobs and v.verb = Resubmit and was[v].finishedBy[j] = v.by[j])
}

/* A flagged job is pending after its claim. Only creators and its holder flag a job. */
pred runsOnceMore {
  all v: Version - first, j: was[v].flagged |
    j in v.flagged or (v.state[j] = Pending and j in v.queue) or (v.verb = Remove and j in v.jobs)
  all v: Version - first, j: v.flagged - was[v].flagged | v.verb = Add or was[v].holder[j] = v.by[j]
}

/* No transaction commits under a claim whose job has been removed. */
pred removed {
  all v: verb.Remove, j: v.changed | no v.nexts.by[j] & v.prevs.by[j]
}

/* The queue has the pending jobs. A running job has an activity row, so its claim can expire. No job is stuck. */
pred rowsAgree {
  all v: Version {
    v.queue = v.state.Pending
    all j: v.state.Running | v.sequence[j] -> j in v.activity and some v.holder[j]
    v.holder.Lock = v.state.Running
    v.flagged in v.state.Running
  }
}
