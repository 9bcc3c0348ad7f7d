package dev.couchjobs.spring.sample;

import dev.couchjobs.CouchJobs;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

@SpringBootApplication
public class SampleApplication {
    public static void main(String... args) {
        SpringApplication.run(SampleApplication.class, args);
    }

    @Bean
    MailsJobs mailsJobs(CouchJobs jobs) {
        return new MailsJobs(jobs);
    }
}
