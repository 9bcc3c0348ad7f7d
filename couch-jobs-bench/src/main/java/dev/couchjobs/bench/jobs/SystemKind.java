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
    String settings(BenchmarkEnvironment environment) {
        return switch (this) {
            case IN_MEMORY, DURABLE, CLUSTER -> engine(environment) + "; " + CouchJobsSystem.SETTINGS;
            case SKIP_LOCKED -> engine(environment) + "; " + SkipLockedSystem.SETTINGS;
            case DB_SCHEDULER -> engine(environment) + "; " + DbSchedulerSystem.SETTINGS;
            case JOBRUNR -> engine(environment) + "; " + JobRunrSystem.SETTINGS;
        };
    }

    /** What it is made of. */
    String engine(BenchmarkEnvironment environment) {
        return switch (this) {
            case IN_MEMORY -> "fdb-embedded, nothing is written to a disk";
            case DURABLE -> "fdb-embedded, every commit is synced";
            case CLUSTER -> environment.describeCluster();
            case SKIP_LOCKED -> "a table and " + Machine.library(Driver.class);
            case DB_SCHEDULER -> Machine.library(Scheduler.class) + ", " + Machine.library(HikariDataSource.class);
            case JOBRUNR -> Machine.library(BackgroundJobServer.class);
        };
    }

    /** Our own jobs with a database of their own. */
    CouchJobsSystem ours(BenchmarkEnvironment environment, Load load) {
        return switch (this) {
            case IN_MEMORY -> environment.inMemory(load);
            case DURABLE -> environment.durable(load);
            case CLUSTER -> environment.onCluster(load);
            case SKIP_LOCKED, DB_SCHEDULER, JOBRUNR -> throw new IllegalArgumentException(label + " is not ours");
        };
    }

    /** With a database of its own. */
    SystemUnderTest open(BenchmarkEnvironment environment, Load load) {
        return switch (this) {
            case IN_MEMORY, DURABLE -> new SystemUnderTest(ours(environment, load), load, Gauges.OWN);
            case CLUSTER -> new SystemUnderTest(ours(environment, load), load, Gauges.NONE);
            case SKIP_LOCKED ->
                new SystemUnderTest(
                        new SkipLockedSystem(environment.postgres(), load), load, environment.withPostgres());
            case DB_SCHEDULER ->
                new SystemUnderTest(
                        new DbSchedulerSystem(environment.postgres(), load), load, environment.withPostgres());
            case JOBRUNR ->
                new SystemUnderTest(new JobRunrSystem(environment.postgres(), load), load, environment.withPostgres());
        };
    }
}
