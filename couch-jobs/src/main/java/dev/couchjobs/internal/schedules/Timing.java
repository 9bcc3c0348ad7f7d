package dev.couchjobs.internal.schedules;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.loop.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The times at which a schedule fires, in seconds since the epoch. */
public sealed interface Timing {
    /** A stretch in which times are counted one after the other, in seconds. */
    long SHORT = 60;

    /** {@return the first time after another, if there is one} */
    OptionalLong nextAfter(long time);

    /** {@return the shortest distance of two times, without changes of the clock, in seconds} */
    long shortestPeriod();

    Tuple encode();

    /** {@return this in words} */
    String describe();

    static Timing decode(Tuple row) {
        return switch (row.getString(0)) {
            case "cron" -> new CronTimes(Cron.stored(row.getString(1), row.getString(2)));
            case "every" -> new FixedRate(row.getLong(1), row.getLong(2));
            case "after" -> new FixedDelay(row.getLong(1));
            default -> throw new IllegalArgumentException("Unknown timing " + row.getString(0));
        };
    }

    /** The times of a cron expression. */
    record CronTimes(Cron cron) implements Timing {
        @Override
        public OptionalLong nextAfter(long time) {
            return cron.nextAfter(Instant.ofEpochSecond(time))
                    .map(next -> OptionalLong.of(next.getEpochSecond()))
                    .orElse(OptionalLong.empty());
        }

        @Override
        public long shortestPeriod() {
            return cron.shortestPeriod();
        }

        @Override
        public Tuple encode() {
            return Tuple.from("cron", cron.expression(), cron.zone());
        }

        @Override
        public String describe() {
            return cron.toString();
        }
    }

    /**
     * Times at equal distances.
     *
     * @param period the distance
     * @param origin one of the times
     */
    record FixedRate(long period, long origin) implements Timing {
        @Override
        public OptionalLong nextAfter(long time) {
            return OptionalLong.of(time + period - Math.floorMod(time - origin, period));
        }

        @Override
        public long shortestPeriod() {
            return period;
        }

        @Override
        public Tuple encode() {
            return Tuple.from("every", period, origin);
        }

        @Override
        public String describe() {
            return "every " + DurationText.of(Duration.ofSeconds(period));
        }
    }

    /** A pause between the end of a job and the start of the next. */
    record FixedDelay(long pause) implements Timing {
        @Override
        public OptionalLong nextAfter(long time) {
            return OptionalLong.of(time + pause);
        }

        @Override
        public long shortestPeriod() {
            return pause;
        }

        @Override
        public Tuple encode() {
            return Tuple.from("after", pause);
        }

        @Override
        public String describe() {
            return DurationText.of(Duration.ofSeconds(pause)) + " after each job";
        }
    }

    /** {@return the last times after one time and not after another, oldest first} */
    default List<Long> latest(int count, long after, long upTo) {
        OptionalLong first = nextAfter(after);
        if (count == 0 || first.isEmpty() || first.getAsLong() > upTo) {
            return List.of();
        }
        if (upTo - after <= SHORT) {
            List<Long> all = new ArrayList<>();
            for (OptionalLong next = first; next.isPresent() && next.getAsLong() <= upTo; ) {
                all.add(next.getAsLong());
                next = nextAfter(next.getAsLong());
            }
            return all.subList(Math.max(0, all.size() - count), all.size());
        }
        long middle = after + (upTo - after) / 2;
        List<Long> late = latest(count, middle, upTo);
        List<Long> all = new ArrayList<>(latest(count - late.size(), after, middle));
        all.addAll(late);
        return all;
    }
}
