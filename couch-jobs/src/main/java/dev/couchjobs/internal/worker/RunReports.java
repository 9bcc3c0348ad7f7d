package dev.couchjobs.internal.worker;

import dev.couchjobs.AttemptEnd;
import dev.couchjobs.JobState;
import dev.couchjobs.JobsListener;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.loop.Observers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Reports the attempts of a worker to the listeners of its instance, without locks, but for {@link #decided}. */
final class RunReports {
    private final Observers<JobsListener> listeners;
    private final InstantSource clock;

    RunReports(Instance instance) {
        this.listeners = instance.listeners();
        this.clock = instance.environment().clock();
    }

    /** The worker calls the handler of a run. */
    void starts(JobRun<?> run, Instant now) {
        if (listeners.isEmpty()) {
            return;
        }
        run.setStartedAt(now);
        JobsListener.Started event = new JobsListener.Started(
                run.job().type().name(), run.job().id(), run.job().failures() + 1);
        listeners.report("started", listener -> listener.started(event));
    }

    /**
     * The end of a run is committed.
     *
     * @param after the row of the job
     */
    void ended(JobRun<?> run, Disposition disposition, JobRow after) {
        ended(run, how(disposition, after), error(disposition), after.state() == JobState.PENDING);
    }

    /** A transaction of the handler's has committed the end of a run. */
    void succeededInHandler(JobRun<?> run) {
        ended(run, AttemptEnd.SUCCEEDED, Optional.empty(), false);
    }

    private void ended(JobRun<?> run, AttemptEnd how, Optional<String> error, boolean isPendingAgain) {
        if (listeners.isEmpty()) {
            return;
        }
        run.startedAt()
                .map(startedAt -> new JobsListener.Ended(
                        run.job().type().name(),
                        run.job().id(),
                        run.job().failures() + 1,
                        how,
                        isPendingAgain,
                        Duration.between(startedAt, run.endedAt().orElseGet(clock::instant)),
                        error))
                .ifPresent(event -> listeners.report("ended", listener -> listener.ended(event)));
    }

    /** A job that was released as often as its type allows fails. */
    private static AttemptEnd how(Disposition disposition, JobRow after) {
        boolean fails = disposition instanceof Disposition.Released
                && after.claimEnd() != null
                && after.claimEnd().how() == AttemptEnd.FAILED;
        return fails ? AttemptEnd.FAILED : how(disposition);
    }

    private static AttemptEnd how(Disposition disposition) {
        if (disposition instanceof Disposition.Succeeded) {
            return AttemptEnd.SUCCEEDED;
        }
        if (disposition instanceof Disposition.Failed) {
            return AttemptEnd.FAILED;
        }
        if (disposition instanceof Disposition.Snoozed) {
            return AttemptEnd.SNOOZED;
        }
        return disposition instanceof Disposition.Cancelled ? AttemptEnd.CANCELLED : AttemptEnd.RELEASED;
    }

    private static Optional<String> error(Disposition disposition) {
        if (disposition instanceof Disposition.Failed failed) {
            return Optional.of(failed.error());
        }
        if (disposition instanceof Disposition.Released released) {
            return Optional.ofNullable(released.error());
        }
        return disposition instanceof Disposition.Cancelled cancelled
                ? Optional.of(cancelled.reason())
                : Optional.empty();
    }

    /** The disposition of a run is decided, which is not reported yet. */
    void decided(JobRun<?> run) {
        if (!listeners.isEmpty()) {
            run.setEndedAt(clock.instant());
        }
    }

    /** The lease of a run begins, or is renewed by its handler. */
    void leased(JobRun<?> run) {
        if (!listeners.isEmpty()) {
            run.setLeasedAt(clock.instant());
        }
    }

    /** A heartbeat of runs of one type is committed. */
    void renewed(String type, Collection<JobRun<?>> runs, Optional<Duration> timeout) {
        if (listeners.isEmpty()) {
            return;
        }
        Instant now = clock.instant();
        List<Duration> silences = runs.stream()
                .flatMap(run -> run.leasedAt().stream())
                .map(last -> Duration.between(last, now))
                .filter(silence -> timeout.filter(
                                lease -> silence.multipliedBy(2).compareTo(lease) > 0)
                        .isPresent())
                .toList();
        runs.forEach(run -> run.setLeasedAt(now));
        silences.stream()
                .max(Comparator.naturalOrder())
                .map(longest -> new JobsListener.HeartbeatsLate(type, silences.size(), longest, timeout.orElseThrow()))
                .ifPresent(event -> listeners.report("heartbeatsLate", listener -> listener.heartbeatsLate(event)));
    }

    /** The claim of a run is lost. */
    void lost(JobRun<?> run, boolean isCancelled) {
        if (listeners.isEmpty()) {
            return;
        }
        JobsListener.Lost event = new JobsListener.Lost(
                run.job().type().name(),
                run.job().id(),
                run.job().failures() + 1,
                run.startedAt().isPresent(),
                isCancelled);
        listeners.report("lost", listener -> listener.lost(event));
    }
}
