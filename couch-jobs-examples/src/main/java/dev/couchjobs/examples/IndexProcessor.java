package dev.couchjobs.examples;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Job;
import dev.couchjobs.JobAlreadyFinishedException;
import dev.couchjobs.JobHaltedException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * Indexes files, several at once. It has a {@link CouchJobs} of its own, as if it ran on a node of its own.
 *
 * <p>Each of its transactions writes to the index and calls {@code update} or {@code finish} on the job as well. That
 * is the fence: once the job has been given to another, nothing of that transaction commits.
 */
final class IndexProcessor implements AutoCloseable {
    private final int number;
    private final Path root;
    private final Database database;
    /** Claims jobs, and watches over those of all. */
    private final CouchJobs claims;
    /** Goes on with claimed jobs, also when this processor claims no more. */
    private final CouchJobs jobs;

    private final IndexStore store;
    private final Duration pace;
    private final Observer observer;
    private final ExecutorService threads;
    private final List<CompletableFuture<Void>> work = new ArrayList<>();

    private final CompletableFuture<Void> revival = new CompletableFuture<>();
    private volatile boolean dead;

    /** Receives what happens in processors, in their threads. */
    interface Observer {
        /** A file's words are written, but its job is not finished. */
        void halfDone(IndexProcessor processor, String path);

        /** A processor tried to go on with a job that was no longer its own. */
        void refused(IndexProcessor processor, JobHaltedException why);

        /** Something that is not foreseen. */
        void failed(RuntimeException error);
    }

    IndexProcessor(
            int number,
            Path root,
            Database database,
            CouchJobs claims,
            CouchJobs jobs,
            IndexStore store,
            Duration pace,
            Observer observer) {
        this.number = number;
        this.root = root;
        this.database = database;
        this.claims = claims;
        this.jobs = jobs;
        this.store = store;
        this.pace = pace;
        this.observer = observer;
        this.threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "processor-" + number);
            thread.setDaemon(true);
            return thread;
        });
    }

    int number() {
        return number;
    }

    void start(int jobsAtOnce) {
        for (int i = 0; i < jobsAtOnce; i++) {
            work.add(CompletableFuture.runAsync(this::acceptAndIndex, threads));
        }
    }

    private void acceptAndIndex() {
        try {
            while (true) {
                index(Blocking.get(claims.processor().accept(FileJob.TYPE)).orElseThrow());
            }
        } catch (CouchJobsClosedException e) {
            // This processor has been closed: there is nothing left to do.
        } catch (RuntimeException e) {
            observer.failed(e);
        }
    }

    private void index(Job<FileJob> claim) {
        try {
            FileJob done = readAndWrite(claim);
            observer.halfDone(this, claim.id());
            LockSupport.parkNanos(pace.toNanos());
            finish(claim, done);
        } catch (JobAlreadyFinishedException e) {
            // The finish committed although the database could not say so at first. It is done, once.
        } catch (JobHaltedException e) {
            observer.refused(this, e);
        }
    }

    private FileJob readAndWrite(Job<FileJob> claim) {
        FileJob soFar = claim.data().takenBy(number);
        try (WordReader reader = new WordReader(root.resolve(soFar.path()))) {
            WordReader.Part part;
            do {
                part = reader.next();
                soFar = soFar.plus(part.words());
                write(claim, soFar, part);
            } while (!part.isLast());
            return soFar;
        } catch (IOException e) {
            return soFar.skippedBecause(TextFile.reason(e));
        }
    }

    private void write(Job<FileJob> claim, FileJob soFar, WordReader.Part part) {
        beAlive();
        Blocking.get(database.runAsync(tx -> {
            store.write(tx, soFar.path(), part);
            return jobs.processor().update(tx, claim, soFar);
        }));
    }

    private void finish(Job<FileJob> claim, FileJob done) {
        beAlive();
        Blocking.get(database.runAsync(tx -> {
            store.complete(tx, done);
            return jobs.processor().finish(tx, claim, done);
        }));
    }

    /**
     * Stops dead, in the middle of everything: no job is given back. For the others it is as if this
     * process had been killed or suspended.
     */
    void stopDead() {
        dead = true;
        claims.close();
    }

    private void beAlive() {
        if (dead) {
            revival.join();
        }
    }

    /** Goes on where it stopped, as a suspended process does that knows nothing of the time that has passed. */
    void wakeUp() {
        revival.complete(null);
        CompletableFuture.allOf(work.toArray(CompletableFuture<?>[]::new)).join();
    }

    @Override
    public void close() {
        claims.close();
        wakeUp();
        threads.shutdown();
    }
}
