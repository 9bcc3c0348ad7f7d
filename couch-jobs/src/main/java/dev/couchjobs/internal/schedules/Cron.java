package dev.couchjobs.internal.schedules;

import dev.couchjobs.InvalidCronException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Objects;
import java.util.Optional;

/**
 * The times that a cron expression names in a time zone. Immutable.
 *
 * <p>An expression that restricts the hour names each local time once: a time that the clock skips is the end of the
 * gap, and a time that the clock repeats is the first of the two. An expression with {@code *} for the hour names every
 * moment whose local time matches.
 */
final class Cron {
    /** The longest time without a 29 February begins here. */
    private static final LocalDateTime LATEST_LEAP_DAY = LocalDateTime.of(2096, 3, 1, 0, 0);

    private final String expression;
    private final CronFields fields;
    private final String zone;

    private Cron(String expression, CronFields fields, String zone) {
        this.expression = expression;
        this.fields = fields;
        this.zone = zone;
    }

    /**
     * {@return the times of an expression; fails with {@link InvalidCronException} if the expression cannot be read, or
     * names no day that ever comes}
     */
    static Cron of(String expression, ZoneId zone) {
        return stored(expression, zone.getId());
    }

    /** {@return the times of an expression in a zone that this process may not know: then {@link #nextAfter} fails} */
    static Cron stored(String expression, String zone) {
        CronFields fields;
        try {
            fields = CronFields.parse(expression);
        } catch (CronSyntaxException e) {
            throw new InvalidCronException(expression, e.reason());
        }
        if (fields.nextAfter(LATEST_LEAP_DAY).isEmpty()) {
            throw new InvalidCronException(expression, "No month that it names has such a day.");
        }
        return new Cron(expression, fields, zone);
    }

    /** {@return the shortest distance of two local times, in seconds} */
    long shortestPeriod() {
        return fields.shortestPeriod(LATEST_LEAP_DAY).toSeconds();
    }

    String expression() {
        return expression;
    }

    String zone() {
        return zone;
    }

    /** {@return the first time after another, a whole second; empty if there is none within forty years} */
    Optional<Instant> nextAfter(Instant time) {
        Instant second = time.truncatedTo(ChronoUnit.SECONDS);
        ZoneRules rules = ZoneId.of(zone).getRules();
        return fields.isHourly() ? nextMatch(rules, second) : nextOnce(rules, second);
    }

    /** Looks through one stretch of constant offset after the other. */
    private Optional<Instant> nextMatch(ZoneRules rules, Instant after) {
        ZoneOffset offset = rules.getOffset(after);
        LocalDateTime local = LocalDateTime.ofInstant(after, offset);
        ZoneOffsetTransition transition = rules.nextTransition(after);
        while (true) {
            Optional<LocalDateTime> match = fields.nextAfter(local);
            if (match.isEmpty() || transition == null) {
                return toInstant(match, offset);
            }
            Instant found = match.get().toInstant(offset);
            if (found.isBefore(transition.getInstant())) {
                return Optional.of(found);
            }
            offset = transition.getOffsetAfter();
            local = transition.getDateTimeAfter().minusSeconds(1);
            transition = rules.nextTransition(transition.getInstant());
        }
    }

    private static Optional<Instant> toInstant(Optional<LocalDateTime> local, ZoneOffset offset) {
        return local.map(time -> time.toInstant(offset));
    }

    /** The instants of local times never go back, so the first that is after the given one is the next. */
    private Optional<Instant> nextOnce(ZoneRules rules, Instant after) {
        Optional<LocalDateTime> local = fields.nextAfter(LocalDateTime.ofInstant(after, rules.getOffset(after)));
        while (local.isPresent()) {
            Instant found = instantOf(rules, local.get());
            if (found.isAfter(after)) {
                return Optional.of(found);
            }
            local = fields.nextAfter(local.get());
        }
        return Optional.empty();
    }

    private static Instant instantOf(ZoneRules rules, LocalDateTime local) {
        ZoneOffsetTransition transition = rules.getTransition(local);
        if (transition == null) {
            return local.toInstant(rules.getOffset(local));
        }
        return transition.isGap() ? transition.getInstant() : local.toInstant(transition.getOffsetBefore());
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof Cron other && expression.equals(other.expression) && zone.equals(other.zone);
    }

    @Override
    public int hashCode() {
        return Objects.hash(expression, zone);
    }

    @Override
    public String toString() {
        return expression + " (" + zone + ")";
    }
}
