package dev.couchjobs;

/** There is no schedule with a name. */
public final class ScheduleNotFoundException extends JobsException {
    private static final long serialVersionUID = 1L;

    private final String schedule;

    /**
     * Made by {@link Schedules}.
     *
     * @param schedule the name
     */
    public ScheduleNotFoundException(String schedule) {
        super("There is no schedule " + schedule + ": put it first, or take a name that Schedules.list returns.");
        this.schedule = schedule;
    }

    /** {@return the name} */
    public String schedule() {
        return schedule;
    }
}
