package dev.couchjobs.examples;

import dev.couchjobs.JobContext;
import dev.couchjobs.annotations.Job;
import dev.couchjobs.annotations.Retry;
import java.util.List;

/** Methods that run jobs. The annotation processor checks them, and generates {@code MailsJobs}. */
public final class Mails {
    private final Post post;

    /** Sends letters. */
    public interface Post {
        /**
         * Sends a letter.
         *
         * @param reader who gets it
         * @return the number of the letter
         */
        String send(String reader);
    }

    /**
     * A letter to one reader.
     *
     * @param to who gets it
     */
    public record Mail(String to) {}

    /**
     * What the post says of a letter.
     *
     * @param number of the letter
     */
    public record Receipt(String number) {}

    /**
     * A letter to many readers.
     *
     * @param readers who get it
     */
    public record Newsletter(List<String> readers) {}

    /**
     * Handlers that send by a post.
     *
     * @param post sends
     */
    public Mails(Post post) {
        this.post = post;
    }

    @Job(type = "mail", concurrency = 4, retry = @Retry(attempts = 5, firstPause = "PT1S"))
    Receipt send(Mail mail) {
        return new Receipt(post.send(mail.to()));
    }

    @Job(type = "newsletter", timeout = "PT1M", timeLimit = "PT10M")
    void sendAll(Newsletter letter, JobContext<Newsletter> job) {
        for (int sent = job.lastCheckpoint(Integer.class).orElse(0);
                sent < letter.readers().size();
                sent++) {
            post.send(letter.readers().get(sent));
            job.checkpoint(sent + 1);
        }
    }
}
