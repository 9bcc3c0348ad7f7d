package dev.couchjobs.bridge.internal.document;

import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import java.util.Optional;

/** Which ids of documents the ids of their jobs can contain: couch-jobs decides that. */
public final class DocumentIds {
    private static final NewJob<String> JOB = NewJob.of(JobType.of("document-ids", String.class), "");
    /** What the id of a step's job has behind that of its document, at least. */
    private static final String STEP = "#0.0";

    private DocumentIds() {}

    /** {@return whether there can be a job of a document of any kind} */
    public static boolean mayHaveJobs(String id) {
        return fault(DocumentKind.WORK_ITEM, id).isEmpty();
    }

    /** {@return why there can be no job of a document; empty if there can be one} */
    static Optional<String> fault(DocumentKind kind, String id) {
        if (DocumentLimits.bytes(id) > DocumentLimits.ID_BYTES) {
            return Optional.of("is longer than " + DocumentLimits.ID_BYTES + " bytes");
        }
        try {
            var unused = JOB.id(kind == DocumentKind.JOB ? id + STEP : id);
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.of("cannot be the id of a job: " + e.getMessage());
        }
    }
}
