package dev.couchjobs.quarkus.sample;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.quarkus.sample.Mails.Welcome;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import java.time.Duration;

@Path("/users/{name}")
public class Users {
    private static final Subspace USERS = new Subspace(Tuple.from("users"));

    private final Database database;
    private final CouchJobs jobs;
    private final MailsJobs mails;

    Users(Database database, CouchJobs jobs, MailsJobs mails) {
        this.database = database;
        this.jobs = jobs;
        this.mails = mails;
    }

    /** The user and the mail are there together, or not at all. */
    @PUT
    public String signUp(String name) {
        return database.run(tx -> {
            tx.set(USERS.pack(name), new byte[] {1});
            mails.welcome(tx, "welcome-" + name, new Welcome(name)).join();
            return "Welcome, " + name + "!";
        });
    }

    /** {@return what the job has said, as soon as it has ended} */
    @GET
    public String receipt(String name) {
        return jobs.result(MailsJobs.WELCOME, "welcome-" + name, Duration.ofSeconds(10)).text();
    }
}
