package dev.couchjobs.bench.jobs;

import java.util.List;
import java.util.stream.Stream;

/** What is measured. */
enum Scenario {
    /** Adding. */
    ENQUEUE("jobs added a second", "above 1: couch-jobs adds more"),
    /** Working off what is there. */
    DRAIN("jobs drained a second by workers that are instances of their own", "above 1: couch-jobs drains more"),
    /** From add to start. */
    LATENCY("time from the return of add to the start of the handler, idle", "below 1: couch-jobs starts sooner"),
    /** Working off little and much. */
    DEPTH("jobs a second by one worker, by the number pending", "above 1: couch-jobs drains more");

    private final String title;
    private final String reading;

    Scenario(String title, String reading) {
        this.title = title;
        this.reading = reading;
    }

    String title() {
        return title;
    }

    /** What the ratios in its table mean. */
    String reading() {
        return reading;
    }

    List<Variant> variants(SystemKind system, JobSettings settings) {
        return switch (this) {
            case ENQUEUE -> List.of(new Enqueue(1), new Enqueue(100));
            case DRAIN -> List.of(new Drain(1), new Drain(4), new Drain(8));
            case LATENCY -> List.of(new Latency(false, system.pollMillis()), new Latency(true, system.pollMillis()));
            case DEPTH -> settings.depths().stream().<Variant>map(Depth::new).toList();
        };
    }

    static List<String> names() {
        return Stream.of(values()).map(Scenario::name).toList();
    }
}
