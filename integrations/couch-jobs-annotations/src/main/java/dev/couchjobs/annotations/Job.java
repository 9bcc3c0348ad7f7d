package dev.couchjobs.annotations;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method that is the handler of a job type. Its parameter is the data of the job, and what it returns is the result.
 * When the class is compiled, an annotation processor checks its methods and generates a class beside it:
 *
 * <pre>{@code
 * final class Mails {
 *     @Job(type = "mail", concurrency = 4, retry = @Retry(attempts = 5))
 *     Receipt send(Mail mail) { ... }
 *
 *     @Job(type = "thumbnail")
 *     Size scale(Thumbnail thumbnail, JobContext<Thumbnail> job) { ... }
 * }
 *
 * MailsJobs.handle(jobs.worker(), new Mails()).start();
 * new MailsJobs(jobs).send(tx, "m-1", new Mail("ann")).join();
 * Receipt receipt = jobs.result(MailsJobs.SEND, "m-1", Duration.ofSeconds(10));
 * }</pre>
 *
 * <p>A method may also take the {@link dev.couchjobs.JobContext} of its data. If it returns a
 * {@link java.util.concurrent.CompletionStage}, it is an {@linkplain dev.couchjobs.AsyncJobHandler asynchronous
 * handler}; if it returns nothing, the job has no result. Several threads call it at once.
 *
 * <p>The name of the generated class is that of the handlers' class with {@code Jobs} behind it; names of enclosing
 * classes stand before it with an underscore. It has the visibility of the handlers' class. The
 * compiler shows no local and anonymous classes to processors: nothing is generated for them.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.CLASS)
public @interface Job {
    /**
     * The stable name of the job type.
     *
     * @return 1 to 500 bytes in UTF-8, not used by another method
     */
    String type();

    /**
     * The {@linkplain dev.couchjobs.JobType#activityTimeout activity timeout}: how long a process may be silent before
     * its job is given to another. The first job of the type stores it. It does not limit the handler.
     *
     * @return an ISO-8601 duration of whole seconds, such as {@code PT1M}
     */
    String timeout() default "PT30S";

    /**
     * How long the handler may take; by default without limit. See {@link dev.couchjobs.WorkerBuilder#timeLimit}.
     *
     * @return an ISO-8601 duration that is more than nothing, such as {@code PT10M}
     */
    String timeLimit() default "";

    /**
     * How jobs that fail are tried again.
     *
     * @return the retry policy
     */
    Retry retry() default @Retry;

    /**
     * How many jobs of the type a worker runs at once; by default as many as it runs at all. See
     * {@link dev.couchjobs.WorkerBuilder#concurrency(dev.couchjobs.JobType, int)}.
     *
     * @return at least one
     */
    int concurrency() default Integer.MAX_VALUE;
}
