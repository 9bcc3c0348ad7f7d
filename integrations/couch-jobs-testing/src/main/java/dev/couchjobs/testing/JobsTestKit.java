package dev.couchjobs.testing;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.CouchJobsBuilder;
import dev.couchjobs.Environment;
import dev.couchjobs.JobCancelledException;
import dev.couchjobs.JobFailedException;
import dev.couchjobs.JobState;
import dev.couchjobs.JobSummary;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsException;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.ThreadTransaction;
import dev.couchjobs.Worker;
import dev.couchjobs.WorkerBuilder;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import dev.couchjobs.loop.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/**
 * couch-jobs for tests: a database in memory, a clock that only the test moves, and workers that run when the test says
 * so, on the test's own thread. A test with it needs no sleep and no waiting, and runs the same way every time.
 *
 * <pre>{@code
 * try (JobsTestKit kit = JobsTestKit.forTypes(WELCOME)) {
 *     kit.work(worker -> worker.process(WELCOME, new WelcomeHandler(mails)));
 *     new SignUp(kit.database(), kit.jobs()).signUp("ann");
 *
 *     kit.assertEnqueued(WELCOME, new Welcome("ann"));
 *     kit.runDue();
 *     assertThat(mails).containsExactly("Welcome, ann");
 * }
 * }</pre>
 *
 * <p>{@link #setClock} jumps to a time, and {@link #advance} passes through the time until then. Both say by which
 * rules.
 *
 * <p>For one thread: what another thread asks of it is refused. Futures of verbs are done when they are returned, so
 * {@code join} does not block; those that wait for something to happen, such as {@code accept}, {@code awaitEvent} and
 * {@code resultAsync}, are done after {@link #runDue} or {@link #advance} if it has happened by then.
 */
public final class JobsTestKit implements AutoCloseable {
    /** No holder goes silent on the one thread there is; a short timeout would only make monitors look often. */
    private static final Duration TIMEOUT = Duration.ofHours(1);

    /** How many moments an advance stops at. */
    private static final int STEPS_MAX = 1_000;

    /** How many waiting jobs an advance reads to find these moments. */
    private static final int READS_MAX = 200_000;

    /** For how long time passes evenly in an advance, and for how long before jobs are looked at again. */
    private static final Duration EVEN_MAX = Duration.ofDays(3);

    private static final Duration EVEN_STEP = Duration.ofMinutes(1);

    private static final long SEED = 0x6a6f6273;
    private static final int PAGE = 100;

    private final VirtualScheduler time = new VirtualScheduler();
    private final Database database;
    private final CouchJobs jobs;
    private final List<Worker> workers = new ArrayList<>();
    private final RunCounts runs = new RunCounts(time);

    private JobsTestKit(UnaryOperator<CouchJobsBuilder> settings) {
        RandomGenerator random = new SplittableRandom(SEED);
        database = EmbeddedDatabase.openInMemory(new EngineEnvironment(Runnable::run, time, time::nanoTime, random));
        jobs = settings.apply(CouchJobs.builder(database).name("test"))
                .listener(runs)
                .environment(new Environment(time, time, random))
                .build();
    }

    /**
     * Opens an empty one.
     *
     * @param types types to be given an activity timeout of an hour; others have none, as in any new database
     * @return the kit, to be closed by the test
     */
    public static JobsTestKit forTypes(JobType<?, ?>... types) {
        JobsTestKit kit = with(UnaryOperator.identity());
        for (JobType<?, ?> type : types) {
            kit.jobs.types().setTypeTimeout(kit.database, type, TIMEOUT).join();
        }
        return kit;
    }

    /**
     * Opens an empty one, whose instance has further settings.
     *
     * @param settings adds listeners, middleware, a codec and the like; the environment is the kit's in any case
     * @return the kit, to be closed by the test
     */
    public static JobsTestKit with(UnaryOperator<CouchJobsBuilder> settings) {
        return new JobsTestKit(settings);
    }

    /** {@return the database in memory} */
    public Database database() {
        return database;
    }

    /** {@return the jobs in it} */
    public CouchJobs jobs() {
        return jobs;
    }

    /** {@return the time as jobs, workers and monitors see it} */
    public Instant now() {
        return time.instant();
    }

    /**
     * Sets the clock by which jobs become due, forward or back. Nothing runs until {@link #runDue} or {@link #advance}.
     *
     * <p>Forward is a jump, as if all processes had been suspended meanwhile. Each job that is due by then runs once,
     * at the new time; if its attempt fails, the next one waits for its pause. A schedule has missed the firing times
     * in between, and acts by the rules of {@link dev.couchjobs.Schedule}: by default it has one job, late. A job whose
     * deadline has passed does not run. Jobs whose retention is over are removed.
     *
     * <p>Back is what happens when the clock of a machine is corrected: jobs wait until the clock shows their times
     * again, and timers do not notice.
     *
     * @param instant what it shows now
     * @throws IllegalArgumentException if all jumps and advances together are more than 290 years
     */
    public void setClock(Instant instant) {
        Duration ahead = Duration.between(now(), instant);
        if (ahead.isNegative()) {
            time.setInstant(instant);
        } else {
            time.jump(ahead);
        }
    }

    /**
     * Starts a worker. Its handlers run within {@link #runDue} and {@link #advance}, one at a time.
     *
     * @param settings gives it handlers, and whatever else it is to have; not an executor
     * @return the worker, closed with the kit; a test that closes it before does so by {@link Worker#closeAsync} and
     *     {@link #runDue}
     */
    public Worker work(UnaryOperator<WorkerBuilder> settings) {
        Worker worker = settings.apply(jobs.worker().executor(runs::execute)).start();
        workers.add(worker);
        return worker;
    }

    /**
     * Runs all jobs that are due and have a worker, and those that they enqueue for now. Time does not move.
     *
     * @throws IllegalStateException if one job runs 1,000 times at that time, as one that is snoozed for no time, or if
     *     5,000 jobs are added meanwhile, as by jobs of which each adds another; the next call goes on
     */
    public void runDue() {
        drive(Duration.ZERO);
    }

    /**
     * Lets time go by, and runs each job when it becomes due: scheduled ones, those of schedules, and those that failed
     * and are tried again. What happens in between is skipped, so that a year takes no longer than its jobs.
     *
     * <p>An advance ends after a bounded amount of work:
     *
     * <ol>
     *   <li>It runs everything that is due, and then goes to the next moment at which a job is due, and so on.
     *   <li>While a job runs, or is due and has a worker but waits (for a limit, a rate, another job, or the end of an
     *       activity timeout), time passes evenly; in an advance, for up to three days in all.
     *   <li>After 1,000 moments, or fewer if thousands of jobs wait, it jumps to its end, as {@link #setClock} does.
     *       So a schedule of two seconds has about 1,000 jobs in an advance of three days, the last one at its end.
     *       Several shorter advances stop at more moments.
     * </ol>
     *
     * @param duration how long; zero is the same as {@link #runDue}
     * @throws IllegalArgumentException if the duration is negative, or all jumps and advances together are more than
     *     290 years
     * @throws IllegalStateException if one job runs 1,000 times at one time, or if 5,000 jobs are added while jobs run
     *     at one time; what else is due waits for the next call
     */
    public void advance(Duration duration) {
        drive(duration);
    }

    /** Handlers run as on threads of their own, also if the test has a transaction open on this thread. */
    private void drive(Duration duration) {
        Duration end = elapsed().plus(checked(duration));
        runs.drive(() -> ThreadTransaction.without(() -> {
            time.runUntilIdle();
            Steps steps = new Steps();
            for (Duration left = duration; isMoreThanNothing(left); left = end.minus(elapsed())) {
                steps.next(left);
            }
            return time;
        }));
    }

    private Duration checked(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException(
                    "Time cannot be moved back by " + DurationText.of(duration.negated()) + ": use setClock.");
        }
        return duration;
    }

    private Duration elapsed() {
        return Duration.ofNanos(time.nanoTime());
    }

    private static boolean isMoreThanNothing(Duration duration) {
        return !duration.isZero() && !duration.isNegative();
    }

    /** The steps of one advance. */
    private final class Steps {
        private Duration evenLeft = EVEN_MAX;
        private int stepsLeft = STEPS_MAX;
        private int readsLeft = READS_MAX;

        /** Goes to the next moment at which something happens, at most to the end of the advance. */
        void next(Duration left) {
            if (stepsLeft <= 0 || readsLeft <= 0) {
                jump(left);
                return;
            }
            WaitingJobs waiting = WaitingJobs.read(jobs, database, now());
            readsLeft -= waiting.count();
            Duration step = waiting.next()
                    .map(due -> shorter(left, Duration.between(now(), due)))
                    .orElse(left);
            if (waiting.isUnderWay() && isMoreThanNothing(evenLeft)) {
                Duration even = shorter(step, EVEN_STEP);
                evenLeft = evenLeft.minus(even);
                stepsLeft -= even.equals(step) ? 1 : 0;
                time.advance(even);
            } else {
                stepsLeft--;
                jump(step);
            }
        }

        private void jump(Duration step) {
            time.jump(step);
            time.runUntilIdle();
        }

        private static Duration shorter(Duration one, Duration other) {
            return one.compareTo(other) < 0 ? one : other;
        }
    }

    /**
     * The jobs of a type that wait to run, in the order of their ids.
     *
     * @param type the type
     * @param <D> the type of their data
     * @return the jobs
     */
    public <D> List<EnqueuedJob<D>> enqueued(JobType<D, ?> type) {
        List<EnqueuedJob<D>> waiting = new ArrayList<>();
        Optional<PageRequest> request = Optional.of(PageRequest.of(PAGE));
        while (request.isPresent()) {
            Page<JobSummary> page = jobs.list(database, type, request.get()).join();
            for (JobSummary job : page.items()) {
                if (job.state() == JobState.PENDING) {
                    D data = jobs.getJobData(database, type, job.jobId()).join().orElseThrow();
                    waiting.add(new EnqueuedJob<>(job.jobId(), data, job.scheduledTime()));
                }
            }
            request = page.next().map(request.get()::after);
        }
        return waiting;
    }

    /**
     * Asserts that a job with this data waits to run.
     *
     * @param type its type
     * @param data its data
     * @param <D> the type of its data
     * @return the job; the first by its id, if there are several
     * @throws AssertionError if there is none; the message says which there are
     */
    public <D> EnqueuedJob<D> assertEnqueued(JobType<D, ?> type, D data) {
        List<EnqueuedJob<D>> waiting = enqueued(type);
        return waiting.stream()
                .filter(job -> Objects.equals(job.data(), data))
                .findFirst()
                .orElseThrow(() -> new AssertionError(
                        "No job of type " + type + " waits to run with " + data + "; those that do: " + waiting));
    }

    /**
     * Asserts that no job of a type waits to run.
     *
     * @param type the type
     * @throws AssertionError if one does; the message says which
     */
    public void assertNothingEnqueued(JobType<?, ?> type) {
        List<? extends EnqueuedJob<?>> waiting = enqueued(type);
        if (!waiting.isEmpty()) {
            throw new AssertionError("Jobs of type " + type + " wait to run: " + waiting);
        }
    }

    /**
     * The result of a job that has succeeded by now.
     *
     * @param type its type
     * @param jobId its id
     * @param <R> the type of its result
     * @return the result
     * @throws NoSuchElementException if the job has not ended yet, let it run first; or if there is no such job
     * @throws JobFailedException if the job has failed for good
     * @throws JobCancelledException if the job was given up
     */
    public <R> R result(JobType<?, R> type, String jobId) {
        JobState state = jobs.getJobState(database, type, jobId).join();
        if (state == JobState.NOT_FOUND) {
            throw new NoSuchElementException(
                    "There is no job " + jobId + " of type " + type + ": it was not added, or its retention is over.");
        }
        if (state != JobState.FINISHED) {
            throw new NoSuchElementException("Job " + jobId + " of type " + type + " has not ended: it is " + state
                    + ". Call runDue or advance first.");
        }
        try {
            return time.await(jobs.resultAsync(type, jobId, Duration.ZERO));
        } catch (CompletionException e) {
            if (e.getCause() instanceof JobsException known) {
                throw known;
            }
            throw e;
        }
    }

    /** Closes workers, jobs and database; jobs that still wait are gone with it. */
    @Override
    public void close() {
        workers.forEach(worker -> time.await(worker.closeAsync()));
        jobs.close();
        database.close();
    }
}
