package dev.couchjobs.spring.sample;

import dev.couchjobs.annotations.Job;
import dev.couchjobs.annotations.Retry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

@Component
public class Mails {
    private static final Logger LOG = LoggerFactory.getLogger(Mails.class);

    public record Welcome(String to) {}

    public record Receipt(String text) {}

    @Job(type = "welcome-mail", concurrency = 4, retry = @Retry(attempts = 5))
    public Receipt welcome(Welcome mail) {
        LOG.info("Welcome, {}!", mail.to());
        return new Receipt("sent to " + mail.to());
    }
}
