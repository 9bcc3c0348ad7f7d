package dev.couchjobs.bridge.internal.document;

import java.util.List;
import java.util.Optional;

/** The result of reading a document. */
public sealed interface ParsedDocument {

    /**
     * A job document.
     *
     * @param document its content
     * @param said the end that the document itself says, whatever follows from its steps
     */
    record Job(JobDocument document, Optional<Verdict> said) implements ParsedDocument {
        /** A document that says how its job has ended. */
        public Job(JobDocument document) {
            this(document, document.verdict());
        }
    }

    /**
     * A work item.
     *
     * @param item its content
     */
    record Work(WorkItem item) implements ParsedDocument {}

    /**
     * A document that cannot be run.
     *
     * @param kind the intended kind
     * @param id its id
     * @param faults its errors, each with what a person can do; at least one
     * @param isEnded whether the document already says that it has ended, so that no report is needed
     */
    record Broken(DocumentKind kind, String id, List<String> faults, boolean isEnded) implements ParsedDocument {
        public Broken {
            faults = List.copyOf(faults);
        }

        /** {@return all errors in one text} */
        public String reason() {
            return String.join("\n", faults);
        }
    }

    /** A document that is not the bridge's. */
    record Other() implements ParsedDocument {}
}
