package dev.couchjobs.bridge.internal.document;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import tools.jackson.databind.node.ObjectNode;

/** What is written is read back as it was, whatever has become of a job. */
class RoundTripTest {
    private final DocumentReader reader = new DocumentReader(Jobs.CLUSTER);

    @Provide
    Arbitrary<JobDocument> histories() {
        return Jobs.histories();
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void aJobIsReadAsItWasWritten(@ForAll("histories") JobDocument job) {
        assertThat(reader.read(DocumentWriter.write(job))).isEqualTo(new Reading.Job(job));
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void aJobIsReadAsItWasSent(@ForAll("histories") JobDocument job) {
        String sent = DocumentWriter.write(job).toString();
        assertThat(reader.read((ObjectNode) Jobs.JSON.readTree(sent))).isEqualTo(new Reading.Job(job));
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void whatIsWrittenDoesNotDependOnWhatWasWrittenInBetween(@ForAll("histories") JobDocument job) {
        ObjectNode first = DocumentWriter.write(new JobDocument(job.id(), job.plan(), Progress.none(job.plan())));
        ObjectNode between = DocumentWriter.write(job.withStep(0, StepProgress.open()), first);
        assertThat(DocumentWriter.write(job, between).toString())
                .isEqualTo(DocumentWriter.write(job, first).toString());
        assertThat(DocumentWriter.write(job, DocumentWriter.write(job, first)))
                .isEqualTo(DocumentWriter.write(job, first));
    }
}
