package dev.couchjobs.examples;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.JobHaltedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** What happens during a run: said at once if it is out of the ordinary, and remembered for the result. */
final class RunReport implements IndexProcessor.Observer, JobWatch.Observer {
    private static final int PATH_WIDTH = 36;

    private final ProgressBar bar;
    private final Accident accident;
    private final Duration silence;
    private final CompletableFuture<Void> failure = new CompletableFuture<>();

    @GuardedBy("this") private final Map<String, String> skipped = new TreeMap<>();

    @GuardedBy("this") private final List<JobHaltedException> refusedToVictim = new ArrayList<>();

    @GuardedBy("this") private int returns;

    RunReport(ProgressBar bar, Accident accident, Duration silence) {
        this.bar = bar;
        this.accident = accident;
        this.silence = silence;
    }

    @Override
    public void halfDone(IndexProcessor processor, String path) {
        if (accident.strikes(processor, path)) {
            processor.stopDead();
            bar.say("processor " + processor.number() + " stops dead, half-way through " + shortened(path));
        }
    }

    @Override
    public synchronized void cameBack(String path) {
        returns++;
        bar.say(shortened(path) + ": no heartbeat for " + silence.toSeconds() + " s, pending again");
    }

    @Override
    public synchronized void finished(FileJob job, boolean hadComeBack) {
        if (job.skipped() != null) {
            skipped.put(job.path(), job.skipped());
            bar.say(shortened(job.path()) + ": skipped, " + job.skipped());
        } else if (hadComeBack) {
            bar.say(shortened(job.path()) + ": finished by processor " + job.processor());
        }
    }

    /** {@return the end of a path, so that a line about it fits into 80 columns} */
    private static String shortened(String path) {
        return path.length() <= PATH_WIDTH ? path : "..." + path.substring(path.length() - PATH_WIDTH + 3);
    }

    @Override
    public synchronized void refused(IndexProcessor processor, JobHaltedException why) {
        if (accident.victim().filter(processor::equals).isPresent()) {
            refusedToVictim.add(why);
        } else {
            bar.say("processor " + processor.number() + " was too slow and is refused: " + why.getMessage());
        }
    }

    @Override
    public void failed(RuntimeException error) {
        failure.completeExceptionally(error);
    }

    /** {@return fails when something has happened that is not foreseen} */
    CompletableFuture<Void> failure() {
        return failure;
    }

    /** {@return the files that could not be read, and why} */
    synchronized Map<String, String> skipped() {
        return new TreeMap<>(skipped);
    }

    /** {@return the jobs that the victim was refused to go on with} */
    synchronized List<JobHaltedException> refusedToVictim() {
        return List.copyOf(refusedToVictim);
    }

    /** {@return how often a job was running and became pending again} */
    synchronized int returns() {
        return returns;
    }
}
