package dev.couchjobs.bridge.internal.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.statistics.Statistics;
import tools.jackson.databind.node.ObjectNode;

/** A written document is read without a difference, in every state of a job. */
class RoundTripTest {
    private final DocumentReader reader = new DocumentReader(SampleJobs.CLUSTER);

    @Provide
    Arbitrary<JobDocument> histories() {
        return SampleJobs.histories();
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void aJobIsReadAsItWasWritten(@ForAll("histories") JobDocument job) {
        Statistics.collect(job.verdict().map(verdict -> verdict.status().name()).orElse("NONE"));
        Statistics.coverage(coverage -> {
            for (String end : List.of("NONE", "SUCCESS", "FAILED", "CANCELLED")) {
                coverage.check(end).count(count -> count > 0);
            }
        });
        assertThat(reader.read(DocumentWriter.write(job))).isEqualTo(new ParsedDocument.Job(job));
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void aJobIsReadAsItWasSent(@ForAll("histories") JobDocument job) {
        String sent = DocumentWriter.write(job).toString();
        assertThat(reader.read((ObjectNode) SampleJobs.JSON.readTree(sent))).isEqualTo(new ParsedDocument.Job(job));
    }

    @Provide
    Arbitrary<List<JobDocument>> pairs() {
        return SampleJobs.histories(2);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void whatIsWrittenDoesNotDependOnWhatWasWrittenInBetween(@ForAll("pairs") List<JobDocument> pair) {
        JobDocument job = pair.get(0);
        ObjectNode first = DocumentWriter.write(new JobDocument(job.id(), job.plan(), Progress.none(job.plan())));
        ObjectNode between = DocumentWriter.write(pair.get(1), first);
        assertThat(DocumentWriter.write(job, between))
                .hasToString(DocumentWriter.write(job, first).toString());
    }

    @Example
    void allNodesStayThoseThatWereThereWhenTheStepBegan() {
        JobDocument begun = SampleJobs.begun(SampleJobs.job(SampleJobs.all("reg_a", "reg_b")), 0, "reg_a");
        assertThat(reader.read(DocumentWriter.write(begun))).isEqualTo(new ParsedDocument.Job(begun));
    }

    @Example
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

    @Property(edgeCases = EdgeCasesMode.NONE)
    void whatWasAcceptedIsReadAlthoughItsNodesAndGroupsAreGone(@ForAll("histories") JobDocument job) {
        DocumentReader later = new DocumentReader(NodeDirectory.of("another")).trusting();
        ParsedDocument parsedDocument = later.read(DocumentWriter.write(job));
        assertThat(parsedDocument).isInstanceOf(ParsedDocument.Job.class);
        assertThat(job.plan()
                        .differenceFrom(
                                ((ParsedDocument.Job) parsedDocument).document().plan()))
                .isEmpty();
        assertThat(((ParsedDocument.Job) parsedDocument).document().progress().steps())
                .isEqualTo(job.progress().steps());
    }

    @Example
    void aNumberIsLeftAsAServerGivesIt() {
        JobDocument begun = SampleJobs.begun(SampleJobs.job(SampleJobs.any()), 0, "reg_a");
        JobDocument ended = SampleJobs.ended(begun, 0, "reg_a", true);
        ObjectNode fromErlang = SampleJobs.json(
                DocumentWriter.write(ended).toString().replace("\"exec_time\":5,", "\"exec_time\":5.0,"));
        assertThat(fromErlang.toString()).contains("\"exec_time\":5.0,");
        assertThat(DocumentWriter.write(ended, fromErlang)).isEqualTo(fromErlang);
    }
}
