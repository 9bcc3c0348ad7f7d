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
            case IN_MEMORY -> "fdb-embedded, nothing is written to a disk; " + CouchJobsSystem.SETTINGS;
            case DURABLE -> "fdb-embedded, every commit is synced; " + CouchJobsSystem.SETTINGS;
            case CLUSTER -> stage.describeCluster() + "; " + CouchJobsSystem.SETTINGS;
            case SKIP_LOCKED -> "a table and " + Machine.library(Driver.class) + "; " + SkipLockedSystem.SETTINGS;
            case DB_SCHEDULER ->
                Machine.library(Scheduler.class) + ", " + Machine.library(HikariDataSource.class) + "; "
                        + DbSchedulerSystem.SETTINGS;
            case JOBRUNR -> Machine.library(BackgroundJobServer.class) + "; " + JobRunrSystem.SETTINGS;
        };
    }

    /** With a database of its own. */
    Subject open(Stage stage, Load load) {
        return switch (this) {
            case IN_MEMORY -> new Subject(stage.inMemory(load), load, Gauges.OWN);
            case DURABLE -> new Subject(stage.durable(load), load, Gauges.OWN);
            case CLUSTER -> new Subject(stage.onCluster(load), load, Gauges.NONE);
            case SKIP_LOCKED -> new Subject(new SkipLockedSystem(stage.postgres(), load), load, stage.withPostgres());
            case DB_SCHEDULER -> new Subject(new DbSchedulerSystem(stage.postgres(), load), load, stage.withPostgres());
            case JOBRUNR -> new Subject(new JobRunrSystem(stage.postgres(), load), load, stage.withPostgres());
        };
    }
}
