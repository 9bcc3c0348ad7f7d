package dev.couchjobs.bench.jobs;

/** The jobs of this project and their peers. */
enum SystemKind {
    /** What this project makes. */
    COUCH_JOBS("couch-jobs", CouchJobsSystem.SETTINGS, CouchJobsSystem.QUIET_MILLIS),
    /** The lightest of the job tables in Java. */
    DB_SCHEDULER("db-scheduler", DbSchedulerSystem.SETTINGS, DbSchedulerSystem.POLL_MILLIS),
    /** The best known of them. */
    JOBRUNR("JobRunr", JobRunrSystem.SETTINGS, JobRunrSystem.POLL_MILLIS);

    private final String label;
    private final String settings;
    private final long pollMillis;

    SystemKind(String label, String settings, long pollMillis) {
        this.label = label;
        this.settings = settings;
        this.pollMillis = pollMillis;
    }

    String label() {
        return label;
    }

    String settings() {
        return settings;
    }

    /** At which intervals it looks for jobs; where it does not poll, how long it is left alone. */
    long pollMillis() {
        return pollMillis;
    }

    boolean isPeer() {
        return this != COUCH_JOBS;
    }
}
