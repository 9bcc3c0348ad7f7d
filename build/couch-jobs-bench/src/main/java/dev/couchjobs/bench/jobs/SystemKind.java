package dev.couchjobs.bench.jobs;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.zaxxer.hikari.HikariDataSource;
import dev.couchjobs.bench.report.Machine;
import org.jobrunr.server.BackgroundJobServer;
import org.postgresql.Driver;

/** The job systems to measure: couch-jobs on its engines, and the peers. */
enum SystemKind {
    /** couch-jobs in memory. */
    IN_MEMORY("couch-jobs, in memory"),
    /** couch-jobs in a directory. */
    DURABLE("couch-jobs, durable"),
    /** couch-jobs on a FoundationDB cluster. */
    CLUSTER("couch-jobs, cluster"),
    /** A minimal queue in PostgreSQL. */
    SKIP_LOCKED("SKIP LOCKED"),
    /** db-scheduler on PostgreSQL. */
    DB_SCHEDULER("db-scheduler"),
    /** JobRunr on PostgreSQL. */
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

    /** The versions and settings of the system. */
    String settings(BenchmarkEnvironment environment) {
        return switch (this) {
            case IN_MEMORY, DURABLE, CLUSTER -> engine(environment) + "; " + CouchJobsSystem.SETTINGS;
            case SKIP_LOCKED -> engine(environment) + "; " + SkipLockedSystem.SETTINGS;
            case DB_SCHEDULER -> engine(environment) + "; " + DbSchedulerSystem.SETTINGS;
            case JOBRUNR -> engine(environment) + "; " + JobRunrSystem.SETTINGS;
        };
    }

    /** The engine or the libraries of the system, with versions. */
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

    /** Opens couch-jobs with a database of its own. */
    CouchJobsSystem openCouchJobs(BenchmarkEnvironment environment, Load load) {
        return switch (this) {
            case IN_MEMORY -> environment.inMemory(load);
            case DURABLE -> environment.durable(load);
            case CLUSTER -> environment.onCluster(load);
            case SKIP_LOCKED, DB_SCHEDULER, JOBRUNR -> throw new IllegalArgumentException(label + " is a peer");
        };
    }

    /** Opens the system with a database of its own. */
    SystemUnderTest open(BenchmarkEnvironment environment, Load load) {
        return switch (this) {
            case IN_MEMORY, DURABLE -> new SystemUnderTest(openCouchJobs(environment, load), load, CpuMeter.OWN);
            case CLUSTER -> new SystemUnderTest(openCouchJobs(environment, load), load, CpuMeter.NONE);
            case SKIP_LOCKED ->
                new SystemUnderTest(
                        new SkipLockedSystem(environment.postgres(), load), load, environment.postgresCpuMeter());
            case DB_SCHEDULER ->
                new SystemUnderTest(
                        new DbSchedulerSystem(environment.postgres(), load), load, environment.postgresCpuMeter());
            case JOBRUNR ->
                new SystemUnderTest(
                        new JobRunrSystem(environment.postgres(), load), load, environment.postgresCpuMeter());
        };
    }
}
