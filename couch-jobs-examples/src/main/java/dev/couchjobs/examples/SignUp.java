package dev.couchjobs.examples;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;

/**
 * A service that greets each user who signs up, and three days later asks how they are: the user, the greeting and the
 * reminder are one commit. Its test shows how code that uses couch-jobs is tested.
 */
public final class SignUp {
    /** The greeting. */
    public static final JobType<Mail, Void> WELCOME = JobType.of("welcome", Mail.class);

    /** The question. */
    public static final JobType<Mail, Void> HOW_ARE_YOU = JobType.of("how-are-you", Mail.class);

    static final Duration REMIND_AFTER = Duration.ofDays(3);

    private static final Subspace USERS = new Subspace(Tuple.from("users"));
    private static final Subspace SENT = new Subspace(Tuple.from("sent"));

    private final Database database;
    private final CouchJobs jobs;

    /**
     * A letter to send.
     *
     * @param to who gets it
     */
    public record Mail(String to) {}

    /**
     * A service.
     *
     * @param database where the users are
     * @param jobs the jobs in the same database
     */
    public SignUp(Database database, CouchJobs jobs) {
        this.database = database;
        this.jobs = jobs;
    }

    /**
     * Signs a user up.
     *
     * @param user a name
     * @param now the time
     */
    public void signUp(String user, Instant now) {
        database.run(tx -> {
            tx.set(USERS.pack(user), new byte[0]);
            jobs.add(tx, WELCOME, user, new Mail(user)).join();
            return jobs.add(tx, NewJob.of(HOW_ARE_YOU, new Mail(user)).id(user).at(now.plus(REMIND_AFTER)))
                    .join();
        });
    }

    /**
     * Sends a mail, and notes in the database that it was sent: if that note commits, the job is done.
     *
     * @param job the job
     * @param post sends
     */
    public static void send(JobContext<Mail> job, Consumer<String> post) {
        post.accept(job.job().type() + " to " + job.data().to());
        job.finish(tx -> {
            tx.set(SENT.pack(Tuple.from(job.job().type().name(), job.id())), new byte[0]);
            return null;
        });
    }
}
