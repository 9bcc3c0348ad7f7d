package dev.couchjobs.internal.job;

import dev.couchjobs.internal.rows.TupleReader;
import dev.couchjobs.internal.rows.TupleWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys, the deadline, the batch and the headers that a creator gave a job; each is null for none, except the
 * deadline.
 *
 * @param limit the limit key
 * @param turn the turn key
 * @param unique the unique key
 * @param sequence the place in a sequence
 * @param startBefore the deadline of a job that has not begun, in milliseconds since the epoch; {@link #NO_DEADLINE}
 *     for none
 * @param batch the place in a batch
 * @param tags its tags, in order
 * @param headers its headers
 */
public record JobKeys(
        @Nullable String limit,
        @Nullable String turn,
        @Nullable UniqueKey unique,
        @Nullable SequencePlace sequence,
        long startBefore,
        @Nullable BatchPlace batch,
        List<String> tags,
        Map<String, String> headers) {
    /** The job may begin at any time. */
    public static final long NO_DEADLINE = 0;
    /** No keys. */
    public static final JobKeys NONE = new JobKeys(null, null, null, null, NO_DEADLINE, null, List.of(), Map.of());

    private static final UniqueKey NO_UNIQUE_KEY = new UniqueKey("", false, 0);
    private static final BatchPlace NO_BATCH = new BatchPlace("", false, false);
    private static final SequencePlace NO_PLACE = new SequencePlace("", 0, false, false);

    /**
     * {@return the keys of the jobs of a schedule}
     *
     * @param lateness how long after its firing time a job may begin, in milliseconds, or {@link #NO_DEADLINE}
     */
    public static JobKeys ofSchedule(
            @Nullable String limit, @Nullable String turn, @Nullable SequencePlace sequence, long lateness) {
        return new JobKeys(limit, turn, null, sequence, lateness, null, List.of(), Map.of());
    }

    /** {@return a copy with a deadline} */
    public JobKeys startingBefore(long deadline) {
        return new JobKeys(limit, turn, unique, sequence, deadline, batch, tags, headers);
    }

    JobKeys withUnique(@Nullable UniqueKey newUnique) {
        return new JobKeys(limit, turn, newUnique, sequence, startBefore, batch, tags, headers);
    }

    private JobKeys withSequence(@Nullable SequencePlace newSequence) {
        return new JobKeys(limit, turn, unique, newSequence, startBefore, batch, tags, headers);
    }

    /** {@return a copy for a job that has begun} */
    JobKeys withoutDeadline() {
        return new JobKeys(limit, turn, unique, sequence, NO_DEADLINE, batch, tags, headers);
    }

    /** {@return a copy for a closing job whose batch has closed} */
    JobKeys released() {
        return batch == null ? this : in(batch.released());
    }

    /** {@return a copy for a job in a batch} */
    JobKeys in(BatchPlace place) {
        return new JobKeys(limit, turn, unique, sequence, startBefore, place, tags, headers);
    }

    /** {@return a copy at another place in the same sequence} */
    public JobKeys atPlace(long token) {
        return sequence == null
                ? this
                : withSequence(new SequencePlace(sequence.name(), token, sequence.passesFailure(), sequence.held()));
    }

    /** {@return a copy for a job that waits for those before it in its sequence, or no longer does} */
    JobKeys held(boolean held) {
        return sequence == null ? this : withSequence(sequence.held(held));
    }

    /** {@return a copy with the place of other keys, if that is in the same sequence} */
    JobKeys inPlaceOf(JobKeys other) {
        return sequence != null && other.sequence != null && sequence.name().equals(other.sequence.name())
                ? withSequence(new SequencePlace(
                        sequence.name(), other.sequence.token(), sequence.passesFailure(), other.sequence.held()))
                : this;
    }

    /** {@return whether jobs with these keys are in a queue by age, also with priority 0} */
    boolean needAge() {
        return limit != null || turn != null;
    }

    /**
     * {@return whether the keys are the same, whenever, in whatever place and with whatever headers the job was added}
     * A trace gives each addition headers of its own, and an addition without another change must write nothing.
     */
    boolean areSameAs(JobKeys other) {
        return equals(other) || withoutPlace().equals(other.withoutPlace());
    }

    private JobKeys withoutPlace() {
        return new JobKeys(
                limit,
                turn,
                unique == null ? null : new UniqueKey(unique.text(), unique.isDigest(), 0),
                sequence == null ? null : new SequencePlace(sequence.name(), 0, sequence.passesFailure(), false),
                startBefore,
                batch == null ? null : batch.released(),
                tags,
                Map.of());
    }

    /** Adds the keys up to the last that there is. */
    void encode(TupleWriter row) {
        if (equals(NONE)) {
            return;
        }
        boolean hasBatch = batch != null || !tags.isEmpty() || !headers.isEmpty();
        boolean hasDeadline = startBefore != NO_DEADLINE || hasBatch;
        boolean hasSequence = sequence != null || hasDeadline;
        boolean hasTurn = turn != null || hasSequence;
        row.addNullable(limit);
        if (unique != null || hasTurn) {
            UniqueKey written = unique == null ? NO_UNIQUE_KEY : unique;
            row.add(written.text()).add(written.isDigest()).add(written.since());
        }
        if (hasTurn) {
            row.addNullable(turn);
        }
        if (hasSequence) {
            SequencePlace written = sequence == null ? NO_PLACE : sequence;
            row.add(written.name())
                    .add(written.token())
                    .add(written.passesFailure())
                    .add(written.held());
        }
        if (hasDeadline) {
            row.add(startBefore);
        }
        if (hasBatch) {
            BatchPlace written = batch == null ? NO_BATCH : batch;
            row.add(written.batch()).add(written.isClosing()).add(written.held());
        }
        tags.forEach(row::add);
        if (!headers.isEmpty()) {
            row.beginNested();
            headers.forEach((name, value) -> row.add(name).add(value));
            row.endNested(true);
        }
    }

    static JobKeys decode(TupleReader row) {
        if (!row.hasNext()) {
            return NONE;
        }
        String limit = row.readNullableString();
        UniqueKey unique = row.hasNext() ? new UniqueKey(row.readString(), row.readBoolean(), row.readLong()) : null;
        String turn = row.hasNext() ? row.readNullableString() : null;
        SequencePlace place = row.hasNext()
                ? new SequencePlace(row.readString(), row.readLong(), row.readBoolean(), row.readBoolean())
                : null;
        long startBefore = row.hasNext() ? row.readLong() : NO_DEADLINE;
        BatchPlace inBatch =
                row.hasNext() ? new BatchPlace(row.readString(), row.readBoolean(), row.readBoolean()) : null;
        List<String> tags = row.hasNext() ? new ArrayList<>() : List.of();
        while (row.hasNext() && row.peek() == TupleWriter.STRING) {
            tags.add(row.readString());
        }
        return new JobKeys(
                limit,
                turn,
                NO_UNIQUE_KEY.equals(unique) ? null : unique,
                NO_PLACE.equals(place) ? null : place,
                startBefore,
                NO_BATCH.equals(inBatch) ? null : inBatch,
                List.copyOf(tags),
                row.hasNext() ? decodeHeaders(row) : Map.of());
    }

    private static Map<String, String> decodeHeaders(TupleReader row) {
        Map<String, String> headers = new LinkedHashMap<>();
        row.beginNested();
        while (row.hasNext()) {
            headers.put(row.readString(), row.readString());
        }
        row.endNested();
        return Collections.unmodifiableMap(headers);
    }
}
