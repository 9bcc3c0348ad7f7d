package dev.couchjobs.quarkus.sample;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Worker;
import dev.couchjobs.fdb.Databases;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.Startup;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** The database, the jobs and the worker: they begin and end with the application. */
@Startup
@Singleton
public class Jobs {
    private final Database database;
    private final CouchJobs jobs;
    private final Worker worker;

    Jobs(@ConfigProperty(name = "couch-jobs.database") String place, Mails mails) {
        database = Databases.open(place);
        jobs = CouchJobs.on(database);
        worker = MailsJobs.handle(jobs.worker(), mails).start();
    }

    /** The worker ends first: its handlers use the others. */
    void stop(@Observes ShutdownEvent event) {
        worker.close();
        jobs.close();
        database.close();
    }

    @Produces
    @Singleton
    Database database() {
        return database;
    }

    @Produces
    @Singleton
    CouchJobs jobs() {
        return jobs;
    }

    @Produces
    @Singleton
    MailsJobs mails() {
        return new MailsJobs(jobs);
    }
}
