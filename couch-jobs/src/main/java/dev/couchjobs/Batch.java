package dev.couchjobs;

import dev.couchjobs.internal.rows.Name;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A batch to open, for {@link Batches#open}. Immutable. */
public final class Batch {
    private final String name;
    private final @Nullable NewJob<?> closing;
    private final boolean closesAtFailure;

    private Batch(String name, @Nullable NewJob<?> closing, boolean closesAtFailure) {
        this.name = name;
        this.closing = closing;
        this.closesAtFailure = closesAtFailure;
    }

    /**
     * A batch without a closing job.
     *
     * @param name its name, unique within the subspace
     * @return the batch
     * @throws IllegalArgumentException if the name is empty, too long, or no well-formed text
     */
    public static Batch of(String name) {
        return new Batch(Name.BATCH.checked(name), null, false);
    }

    /**
     * This batch with a closing job: it is added when the batch opens, and is {@linkplain JobInfo#isBlocked blocked}
     * until the batch closes. If there is a job with its id, {@link Batches#open} fails with {@link BatchRoleException}
     * while that is a member of a batch or closes another one. A closing job cannot be added as a member.
     *
     * @param job the job, which is no member of a batch
     * @return the batch
     * @throws IllegalArgumentException if the job is a member of a batch, or is unique
     */
    public Batch closing(NewJob<?> job) {
        Objects.requireNonNull(job, "job");
        if (job.batch().isPresent() || job.unique().isPresent() || job.leavesAlone(JobState.PENDING)) {
            throw new IllegalArgumentException("The closing job of a batch is added in any case, and is no member of a"
                    + " batch: leave out batch, unique and ifAbsent.");
        }
        return new Batch(name, job, closesAtFailure);
    }

    /** {@return this batch, which also closes when the first member fails or expires; the others go on} */
    public Batch closingAtFirstFailure() {
        return new Batch(name, closing, true);
    }

    /** {@return the name} */
    public String name() {
        return name;
    }

    /** {@return the closing job, or empty if there is none} */
    public Optional<NewJob<?>> closing() {
        return Optional.ofNullable(closing);
    }

    /** {@return whether the first member that fails or expires closes the batch} */
    public boolean closesAtFirstFailure() {
        return closesAtFailure;
    }

    @Override
    public String toString() {
        return "Batch[" + name + "]";
    }
}
