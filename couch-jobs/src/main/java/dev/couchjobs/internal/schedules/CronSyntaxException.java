package dev.couchjobs.internal.schedules;

/** Why a cron expression cannot be read. */
final class CronSyntaxException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String reason;

    CronSyntaxException(String reason) {
        super(reason);
        this.reason = reason;
    }

    /** {@return what is wrong and what to write instead} */
    String reason() {
        return reason;
    }
}
