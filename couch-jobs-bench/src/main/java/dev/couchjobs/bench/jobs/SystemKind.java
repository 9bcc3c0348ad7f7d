package dev.couchjobs.bench.jobs;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.zaxxer.hikari.HikariDataSource;
import dev.couchjobs.bench.report.Machine;
import org.jobrunr.server.BackgroundJobServer;
import org.postgresql.Driver;

/** The jobs of this project and their peers. */
enum SystemKind {
    /** What this project makes, without a disk. */
    IN_MEMORY("couch-jobs, in memory"),
    /** What this project makes, on this disk. */
    DURABLE("couch-jobs, durable"),
    /** What this project makes, on FoundationDB. */
    CLUSTER("couch-jobs, cluster"),
    /** The least there can be. */
    SKIP_LOCKED("SKIP LOCKED"),
    /** The lightest of the job tables in Java. */
    DB_SCHEDULER("db-scheduler"),
    /** The best known of them. */
    JOBRUNR("JobRunr");

    private final String label;

    SystemKind(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    /** Whether it needs PostgreSQL. */
    boolean isPeer() {
        return compareTo(CLUSTER) > 0;
    }

    /** How it is used. */
    String settings(Stage stage) {
        return switch (this) {
            case IN_MEMORY, DURABLE, CLUSTER -> engine(stage) + "; " + CouchJobsSystem.SETTINGS;
            case SKIP_LOCKED -> engine(stage) + "; " + SkipLockedSystem.SETTINGS;
            case DB_SCHEDULER -> engine(stage) + "; " + DbSchedulerSystem.SETTINGS;
            case JOBRUNR -> engine(stage) + "; " + JobRunrSystem.SETTINGS;
        };
    }

    /** What it is made of. */
    String engine(Stage stage) {
        return switch (this) {
            case IN_MEMORY -> "fdb-embedded, nothing is written to a disk";
            case DURABLE -> "fdb-embedded, every commit is synced";
            case CLUSTER -> stage.describeCluster();
            case SKIP_LOCKED -> "a table and " + Machine.library(Driver.class);
            case DB_SCHEDULER -> Machine.library(Scheduler.class) + ", " + Machine.library(HikariDataSource.class);
            case JOBRUNR -> Machine.library(BackgroundJobServer.class);
        };
    }

    /** Our own jobs with a database of their own. */
    CouchJobsSystem ours(Stage stage, Load load) {
        return switch (this) {
            case IN_MEMORY -> stage.inMemory(load);
            case DURABLE -> stage.durable(load);
            case CLUSTER -> stage.onCluster(load);
            case SKIP_LOCKED, DB_SCHEDULER, JOBRUNR -> throw new IllegalArgumentException(label + " is not ours");
        };
    }

    /** With a database of its own. */
    Subject open(Stage stage, Load load) {
        return switch (this) {
            case IN_MEMORY, DURABLE -> new Subject(ours(stage, load), load, Gauges.OWN);
            case CLUSTER -> new Subject(ours(stage, load), load, Gauges.NONE);
            case SKIP_LOCKED -> new Subject(new SkipLockedSystem(stage.postgres(), load), load, stage.withPostgres());
            case DB_SCHEDULER -> new Subject(new DbSchedulerSystem(stage.postgres(), load), load, stage.withPostgres());
            case JOBRUNR -> new Subject(new JobRunrSystem(stage.postgres(), load), load, stage.withPostgres());
        };
    }
}
