package dev.couchjobs.bridge.internal.document;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Samples;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** A written document is read without a difference, in every state of a job. */
class RoundTripTest {
    private final DocumentReader reader = new DocumentReader(SampleJobs.CLUSTER);

    @Test
    void aJobIsReadAsItWasWritten() {
        Samples.check(250, samples -> {
            JobDocument job = SampleJobs.history(samples);
            assertThat(reader.read(DocumentWriter.write(job))).isEqualTo(new ParsedDocument.Job(job));
        });
    }

    /** The other properties check what they say only if jobs of every end are among their samples. */
    @Test
    void twoHundredSamplesAreJobsOfEveryEnd() {
        Samples.check(1, samples -> {
            Set<Optional<Verdict.Status>> ends = new HashSet<>();
            for (int i = 0; i < 200; i++) {
                ends.add(SampleJobs.history(samples).verdict().map(Verdict::status));
            }
            assertThat(ends)
                    .containsExactlyInAnyOrder(
                            Optional.empty(),
                            Optional.of(Verdict.Status.SUCCESS),
                            Optional.of(Verdict.Status.FAILED),
                            Optional.of(Verdict.Status.CANCELLED));
        });
    }

    @Test
    void aJobIsReadAsItWasSent() {
        Samples.check(250, samples -> {
            JobDocument job = SampleJobs.history(samples);
            String sent = DocumentWriter.write(job).toString();
            assertThat(reader.read((ObjectNode) SampleJobs.JSON.readTree(sent))).isEqualTo(new ParsedDocument.Job(job));
        });
    }

    @Test
    void whatIsWrittenDoesNotDependOnWhatWasWrittenInBetween() {
        Samples.check(250, samples -> {
            List<JobDocument> pair = SampleJobs.histories(samples, 2);
            JobDocument job = pair.get(0);
            ObjectNode first = DocumentWriter.write(new JobDocument(job.id(), job.plan(), Progress.none(job.plan())));
            ObjectNode between = DocumentWriter.write(pair.get(1), first);
            assertThat(DocumentWriter.write(job, between))
                    .hasToString(DocumentWriter.write(job, first).toString());
        });
    }

    @Test
    void allNodesStayThoseThatWereThereWhenTheStepBegan() {
        JobDocument begun = SampleJobs.begun(SampleJobs.job(SampleJobs.all("reg_a", "reg_b")), 0, "reg_a");
        assertThat(reader.read(DocumentWriter.write(begun))).isEqualTo(new ParsedDocument.Job(begun));
    }

    @Test
    void whatAPersonWroteStaysAndTheStateIsAddedInItsPlace() {
        ObjectNode document = SampleJobs.json("{'job':[{'do':'sleep 5','step_status':null,'target':['first']}],"
                + "'_rev':'1-a','creator':'global_node','_id':'j'}");
        JobDocument job = ((ParsedDocument.Job) reader.read(document)).document();
        assertThat(DocumentWriter.write(SampleJobs.begun(job, 0, "reg_a"), document))
                .hasToString(
                        SampleJobs.json("{'_id':'j','job':[{'do':'sleep 5','step_status':'running','target':['first'],"
                                        + "'claimed_by':'reg_a','winner':'reg_a','executioner':'Node: reg_a, worker:"
                                        + " 1',"
                                        + "'exec_time':null,'start_time':'14:45:4','finish_time':null,"
                                        + "'started_at':'2011-06-15T14:45:04+02:00'}],"
                                        + "'_rev':'1-a','creator':'global_node','step':0,'job_status':null}")
                                .toString());
    }

    @Test
    void whatWasAcceptedIsReadAlthoughItsNodesAndGroupsAreGone() {
        DocumentReader later = new DocumentReader(NodeDirectory.of("another")).trusting();
        Samples.check(250, samples -> {
            JobDocument job = SampleJobs.history(samples);
            ParsedDocument parsedDocument = later.read(DocumentWriter.write(job));
            assertThat(parsedDocument).isInstanceOf(ParsedDocument.Job.class);
            assertThat(job.plan()
                            .differenceFrom(((ParsedDocument.Job) parsedDocument)
                                    .document()
                                    .plan()))
                    .isEmpty();
            assertThat(((ParsedDocument.Job) parsedDocument)
                            .document()
                            .progress()
                            .steps())
                    .isEqualTo(job.progress().steps());
        });
    }

    @Test
    void aNumberIsLeftAsAServerGivesIt() {
        JobDocument begun = SampleJobs.begun(SampleJobs.job(SampleJobs.any()), 0, "reg_a");
        JobDocument ended = SampleJobs.ended(begun, 0, "reg_a", true);
        ObjectNode fromErlang = SampleJobs.json(
                DocumentWriter.write(ended).toString().replace("\"exec_time\":5,", "\"exec_time\":5.0,"));
        assertThat(fromErlang.toString()).contains("\"exec_time\":5.0,");
        assertThat(DocumentWriter.write(ended, fromErlang)).isEqualTo(fromErlang);
    }
}
