package dev.couchjobs.bridge.internal.document;

import java.util.List;

/** What a document turns out to be. */
public sealed interface ParsedDocument {

    /**
     * A job document.
     *
     * @param document what it says
     */
    record Job(JobDocument document) implements ParsedDocument {}

    /**
     * A work item.
     *
     * @param item what it says
     */
    record Work(WorkItem item) implements ParsedDocument {}

    /**
     * A document that cannot be run as it is.
     *
     * @param kind what it was meant to be
     * @param id its id
     * @param faults all that is wrong with it, in sentences a person can act on; at least one
     * @param isEnded whether it says already that it has ended: then there is nothing to report any more
     */
    record Broken(DocumentKind kind, String id, List<String> faults, boolean isEnded) implements ParsedDocument {
        /** Keeps a copy of the list. */
        public Broken {
            faults = List.copyOf(faults);
        }

        /** {@return all that is wrong, in one text} */
        public String reason() {
            return String.join("\n", faults);
        }
    }

    /** None of the bridge's. */
    record Other() implements ParsedDocument {}
}
