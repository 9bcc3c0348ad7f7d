package dev.couchjobs.bridge.internal.document;

import java.time.DateTimeException;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads a run: from the fields of a step, or from those of one node. */
final class StepRunReader {
    private static final Pattern TIME_OF_DAY = Pattern.compile("([01]?\\d|2[0-3]):[0-5]?\\d:([0-5]?\\d|60)(\\.\\d+)?");
    private static final List<String> STATUSES = List.of("running", "finished", "failed");

    private StepRunReader() {}

    /** {@return whether the fields say that the step has succeeded} */
    static boolean isFinished(Fields fields) {
        return fields.value("step_status")
                .filter(status -> status.asString("").equalsIgnoreCase("finished"))
                .isPresent();
    }

    /** {@return the run; empty if the step has not begun, or the run is invalid} */
    static Optional<StepRun> read(Fields fields) {
        Optional<StepRun.Status> status = status(fields);
        if (status.isEmpty()) {
            if (!fields.has("step_status")) {
                refuse(fields, FieldNames.RUN, "is for a step that has begun, and step_status does not say so");
            }
            return Optional.empty();
        }
        boolean isRunning = status.get() == StepRun.Status.RUNNING;
        if (isRunning) {
            refuse(fields, FieldNames.END, "is for a step that has ended, and step_status says that it runs");
        }
        fields.requires("executioner", "step_status says that the step has begun");
        Optional<String> executioner = fields.words("executioner");
        checkTimesOfDay(fields);
        Optional<ZonedDateTime> start = time(fields, "started_at");
        Optional<ZonedDateTime> finish = time(fields, "finished_at");
        int begun = fields.integer("begun", 1).orElse(1);
        int tries = fields.integer("tries", 0).orElse(0);
        StepRunEnd end = end(fields);
        return executioner.map(who -> new StepRun(
                begun,
                who,
                status.get(),
                start,
                isRunning ? Optional.empty() : finish,
                tries,
                isRunning ? Optional.empty() : Optional.of(end)));
    }

    /** {@return the {@code step_status}, if it is valid} */
    static Optional<StepRun.Status> status(Fields fields) {
        Optional<String> text = fields.text("step_status").map(status -> status.toLowerCase(Locale.ROOT));
        if (text.isPresent() && !STATUSES.contains(text.get())) {
            fields.fault(
                    "step_status",
                    "is " + ValidationErrors.quote(text.get()) + "; it can be null, " + String.join(", ", STATUSES)
                            + fields.errors().hint(text.get(), STATUSES));
            return Optional.empty();
        }
        return text.map(status -> StepRun.Status.valueOf(status.toUpperCase(Locale.ROOT)));
    }

    static void checkTimesOfDay(Fields fields) {
        fields.number("exec_time", 0);
        for (String name : List.of("start_time", "finish_time")) {
            Optional<String> text = fields.text(name);
            if (text.isPresent() && !TIME_OF_DAY.matcher(text.get()).matches()) {
                fields.fault(
                        name,
                        "is " + ValidationErrors.quote(text.get()) + "; it has to be a time of day such as 14:45:4");
            }
        }
    }

    private static StepRunEnd end(Fields fields) {
        return new StepRunEnd(
                fields.integer("exit_status", Integer.MIN_VALUE),
                fields.integer("alt_exit_status", Integer.MIN_VALUE),
                fields.text("output"),
                fields.bool("output_cut").orElse(false),
                fields.text("reason"));
    }

    private static Optional<ZonedDateTime> time(Fields fields, String name) {
        Optional<String> text = fields.text(name);
        Optional<ZonedDateTime> time = text.flatMap(StepRunReader::parsed);
        if (text.isPresent() && time.isEmpty()) {
            fields.fault(
                    name,
                    "is " + ValidationErrors.quote(text.get())
                            + "; it has to be a time such as 2011-06-15T14:45:04+02:00");
        }
        return time;
    }

    /** Accepts only years between which a duration cannot overflow. */
    private static Optional<ZonedDateTime> parsed(String text) {
        try {
            return Optional.of(ZonedDateTime.parse(text, DateTimeFormatter.ISO_DATE_TIME))
                    .filter(time -> time.getYear() >= 1970 && time.getYear() <= 9999);
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static void refuse(Fields fields, List<String> names, String why) {
        for (String name : names) {
            if (fields.has(name)) {
                fields.fault(name, why);
            }
        }
    }
}
