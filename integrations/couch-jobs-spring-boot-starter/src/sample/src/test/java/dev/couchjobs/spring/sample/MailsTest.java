package dev.couchjobs.spring.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.spring.sample.Mails.Receipt;
import dev.couchjobs.spring.sample.Mails.Welcome;
import dev.couchjobs.spring.test.CouchJobsTest;
import dev.couchjobs.testing.JobsTestKit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@CouchJobsTest
class MailsTest {
    @Autowired
    JobsTestKit kit;

    @Autowired
    MailsJobs mails;

    @Test
    void aNewUserGetsAMail() {
        mails.welcome(kit.database(), "welcome-ann", new Welcome("ann")).join();
        kit.assertEnqueued(MailsJobs.WELCOME, new Welcome("ann"));

        kit.runDue();

        assertThat(kit.result(MailsJobs.WELCOME, "welcome-ann")).isEqualTo(new Receipt("sent to ann"));
    }
}
