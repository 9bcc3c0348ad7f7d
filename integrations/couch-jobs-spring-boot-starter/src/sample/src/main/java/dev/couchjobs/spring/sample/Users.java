package dev.couchjobs.spring.sample;

import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.spring.CurrentTransaction;
import dev.couchjobs.spring.JobsTransactional;
import dev.couchjobs.spring.sample.Mails.Welcome;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class Users {
    private static final Subspace USERS = new Subspace(Tuple.from("users"));

    private final CurrentTransaction current;
    private final MailsJobs mails;

    Users(CurrentTransaction current, MailsJobs mails) {
        this.current = current;
        this.mails = mails;
    }

    /** The user and the mail are there together, or not at all. */
    @PutMapping("/users/{name}")
    @JobsTransactional
    public String signUp(@PathVariable String name) {
        current.context().run(tx -> {
            tx.set(USERS.pack(name), new byte[] {1});
            return name;
        });
        mails.welcome(current.context(), "welcome-" + name, new Welcome(name)).join();
        if (name.isBlank() || name.length() > 20) {
            throw new IllegalArgumentException("A name has 1 to 20 characters.");
        }
        return "Welcome, " + name + "!";
    }

    @GetMapping("/users/{name}")
    @JobsTransactional
    public boolean isUser(@PathVariable String name) {
        return current.context().read(tx -> tx.get(USERS.pack(name)).join()) != null;
    }
}
