package dev.couchjobs.bridge.internal.document;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Samples;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Job documents are read, and each error contains what a person can do. */
class DocumentReaderTest {
    private static final String STEP = "{'target':'any','do':'ls'}";
    private final DocumentReader reader = new DocumentReader(SampleJobs.CLUSTER);

    @Test
    void creatorAndStepsWithTargetAndDoAreEnough() {
        JobDocument job = job("{'_id':'j','creator':'global_node','job':[" + STEP + "]}");
        assertThat(job)
                .isEqualTo(new JobDocument(
                        "j",
                        new JobPlan("global_node", 0, List.of(step("ls"))),
                        new Progress(List.of(StepProgress.open()), Optional.empty())));
    }

    @Test
    void targetsAreNodesGroupsSetsAnyOrAll() {
        assertThat(target("'reg_a'")).isEqualTo(new Target.OneNode("reg_a"));
        assertThat(target("'first'")).isEqualTo(new Target.OneNode("reg_a", new TreeSet<>(List.of("first"))));
        assertThat(target("'regional'"))
                .isEqualTo(new Target.OneOf(
                        new TreeSet<>(List.of("reg_a", "reg_b", "reg_c")), new TreeSet<>(List.of("regional"))));
        assertThat(target("['reg_b','first']"))
                .isEqualTo(new Target.OneOf(
                        new TreeSet<>(List.of("reg_a", "reg_b")), new TreeSet<>(List.of("first", "reg_b"))));
        assertThat(target("'any'")).isEqualTo(new Target.Any());
        assertThat(target("'all'")).isEqualTo(new Target.All(SampleJobs.CLUSTER.nodes()));
    }

    @Test
    void aTargetThatIsNotThereNamesTheNearest() {
        assertThat(faults("'creator':'global_node','job':[" + STEP + ",{'target':'reg_x','do':'ls'}]"))
                .containsExactly("job[1].target: there is no node or group \"reg_x\"; did you mean \"reg_a\"?");
        assertThat(faults("'creator':'global_node','job':[{'target':[],'do':'ls'}]")
                        .get(0))
                .startsWith("job[0].target: is an empty array; name a node or a group");
        assertThat(faults("'creator':'global_node','job':[{'target':['any'],'do':'ls'}]"))
                .containsExactly("job[0].target: has \"any\" in its array, where only nodes and groups can be named");
    }

    @Test
    void allThatIsWrongIsSaidAtOnce() {
        assertThat(faults("'job_staus':null,'step':'one','job':[{'target':'any','Do':'ls','timeout':-1,"
                        + "'retry_strategy':{'max_retries':-1,'sleep':'5','sleep_factor':0.5,'sleepmax':1}},7]"))
                .containsExactly(
                        "job_staus: there is no such field; did you mean \"job_status\"?",
                        "creator: is missing; name the node on which the job was created",
                        "step: is a text; it has to be a whole number",
                        "job[0].Do: there is no such field; did you mean \"do\"?",
                        "job[0].do: is missing; say what is to be done",
                        "job[0].timeout: is -1; it has to be at least 0",
                        "job[0].retry_strategy.sleepmax: there is no such field; did you mean \"sleep_max\"?",
                        "job[0].retry_strategy.max_retries: is -1; it has to be a whole number from 0 to 2147483647",
                        "job[0].retry_strategy.sleep: is a text; it has to be a number",
                        "job[0].retry_strategy.sleep_factor: is 0.5; it has to be at least 1",
                        "job[1]: is a number; it has to be an object with target and do");
    }

    @Test
    void aJobHasSteps() {
        assertThat(faults("'creator':'global_node','job_status':null"))
                .containsExactly("job: is missing; give it an array of steps");
        assertThat(faults("'creator':'global_node','job':[]"))
                .containsExactly("job: has 0 steps; it has to have from 1 to 100");
        assertThat(faults("'creator':'global_node','job':'ls'"))
                .containsExactly("job: is a text; it has to be an array of steps");
    }

    @Test
    void theCreatorIsANode() {
        assertThat(faults("'creator':'regional','job':[" + STEP + "]"))
                .containsExactly("creator: there is no node \"regional\"");
        assertThat(faults("'creator':'globl_node','job':[" + STEP + "]"))
                .containsExactly("creator: there is no node \"globl_node\"; did you mean \"global_node\"?");
        assertThat(faults("'creator':'Global','job':[" + STEP + "]"))
                .containsExactly("creator: there is no node \"Global\"; did you mean \"global_node\"?");
    }

    @Test
    void actionsAreCheckedByTheirKind() {
        assertThat(faults("'creator':'reg_a','job':["
                        + "{'target':'any','kind':'shel','do':'ls'},"
                        + "{'target':'any','kind':'http','do':'https://example.org'},"
                        + "{'target':'any','kind':'http','do':{'method':'P T','url':'ftp://example.org'}},"
                        + "{'target':'any','kind':'http','do':{'url':'ftp://example.org'}},"
                        + "{'target':'any','kind':'java','do':{'data':1}},"
                        + "{'target':'any','do':' ','alt_do':{'command':'ls','environment':{'A':1}}}]"))
                .containsExactly(
                        "job[0].kind: there is no kind \"shel\", only shell, http, java; did you mean \"shell\"?",
                        "job[1].do: has to be a method and an address, as in \"POST https://example.org/users\"",
                        "job[2].do.method: \"P T\" is not a method of HTTP, such as GET or POST",
                        "job[3].do.url: \"ftp://example.org\" is not an address that begins with http:// or https://",
                        "job[4].do.handler: is missing; name a handler that is registered",
                        "job[5].do: is blank",
                        "job[5].alt_do.environment.A: is a number; it has to be a text");
    }

    @Test
    void theAlternativeIsOfTheSameKindUnlessItSaysOtherwise() {
        StepPlan step = job("{'_id':'j','creator':'reg_a','job':[{'target':'any','kind':'http',"
                        + "'do':'GET http://a/','alt_do':'GET http://b/'}]}")
                .step(0)
                .plan();
        assertThat(step.alternative().orElseThrow()).isInstanceOf(ActionPlan.Http.class);
        StepPlan other = job("{'_id':'j','creator':'reg_a','job':[{'target':'any','kind':'http',"
                        + "'do':'GET http://a/','alt_do':'ls','alt_kind':'shell'}]}")
                .step(0)
                .plan();
        assertThat(other.alternative().orElseThrow()).isInstanceOf(ActionPlan.Shell.class);
    }

    @Test
    void whatIsTooLargeIsRefused() {
        String longText = "x".repeat(DocumentLimits.STRING_BYTES + 1);
        assertThat(faults("'creator':'reg_a','job':[{'target':'any','do':'" + longText + "'}]"))
                .containsExactly("job[0].do: is longer than 65536 bytes");
        String large = "{'target':'any','do':'" + "x".repeat(60_000) + "'},";
        assertThat(faults("'creator':'reg_a','job':[" + large.repeat(18) + STEP + "]"))
                .containsExactly("the document is larger than 1048576 bytes");
        assertThat(faults("'creator':'reg_a','job':[{'target':'any','kind':'java','do':{'handler':'h','data':"
                        + "[".repeat(70) + "]".repeat(70) + "}}]"))
                .containsExactly("the document has more than 64 nested objects and arrays");
        assertThat(faults("'creator':'reg_a','job':[" + (STEP + ",").repeat(100) + STEP + "]"))
                .containsExactly(
                        "job: has 101 steps; it has to have from 1 to 100, because each revision contains all of them;"
                                + " divide the job into several, the last step of each creating the next document");
        assertThat(faults("'creator':'reg_a','job':[{'target':'all','do':'ls'}"
                        + ",{'target':'all','do':'ls'}".repeat(75) + "]"))
                .containsExactly("job: needs 304 runs, one for each node of a step on all nodes;" + " the most is 300");
    }

    @Test
    void ofVeryManyFaultsTheFirstAreSaid() {
        List<String> faults = faults("'creator':'reg_a','job':[" + "1,".repeat(50) + "1]");
        assertThat(faults).hasSize(21).last().isEqualTo("and more");
    }

    @Test
    void statusesAreReadWhateverTheirCase() {
        assertThat(job(begun("'step_status':'RUNNING'")).step(0).status()).contains(StepRun.Status.RUNNING);
        assertThat(job(begun("'step_status':'Finished'")).verdict()).contains(Verdict.SUCCESS);
        assertThat(job(begun("'step_status':'Failed','exit_status':3")).verdict())
                .contains(Verdict.failed("job[0] has failed on reg_a, with exit status 3"));
    }

    @Test
    void aStateThatCannotBeIsRefused() {
        assertThat(stepFaults("'step_status':'runing','executioner':'x'"))
                .containsExactly("job[0].step_status: is \"runing\"; it can be null, running, finished, failed;"
                        + " did you mean \"running\"?");
        assertThat(stepFaults("'executioner':'x'"))
                .containsExactly("job[0].executioner: is for a step that has begun, and step_status does not say so");
        assertThat(stepFaults("'step_status':'running','winner':'reg_a'"))
                .containsExactly("job[0].executioner: is missing; step_status says that the step has begun");
        assertThat(stepFaults("'step_status':'running','winner':'reg_a','executioner':'x','exit_status':1"))
                .containsExactly("job[0].exit_status: is for a step that has ended, and step_status says that it runs");
        assertThat(stepFaults("'winner':'reg_d'"))
                .containsExactly("job[0].winner: there is no node \"reg_d\"; did you mean \"reg_a\"?");
        assertThat(stepFaults("'claimed_by':'reg_a','winner':'reg_b'"))
                .containsExactly("job[0].winner: is \"reg_b\", which is not in claimed_by");
        assertThat(stepFaults("'withdrawn':-1"))
                .containsExactly("job[0].withdrawn: is -1; it has to be a whole number from 0 to 2147483647");
        assertThat(faults("'creator':'reg_a','job':[{'target':'reg_a','do':'ls','claimed_by':'reg_b'}]"))
                .containsExactly("job[0].claimed_by: is \"reg_b\", which is not among the step's targets");
        assertThat(stepFaults("'started_at':'noon','start_time':'25:0:0','step_status':'running',"
                        + "'executioner':'Node: reg_a, worker: 1'"))
                .containsExactly(
                        "job[0].start_time: is \"25:0:0\"; it has to be a time of day such as 14:45:4",
                        "job[0].started_at: is \"noon\"; it has to be a time such as 2011-06-15T14:45:04+02:00");
    }

    @Test
    void stepsGoInTheirOrder() {
        String open = "'creator':'reg_a','job':[" + STEP + "," + STEP + "]";
        assertThat(faults(open + ",'step':3")).containsExactly("step: is 3, and the job has 2 steps, counted from 0");
        assertThat(faults(open + ",'step':1")).containsExactly("step: is 1, and job[0] has not finished");
        assertThat(faults(open + ",'job_status':'success'"))
                .containsExactly("job_status: is \"success\", and job[0] has not finished; to end a job, say"
                        + " \"cancelled\"");
        assertThat(faults("'creator':'reg_a','job':[" + STEP + ",{'target':'any','do':'ls','claimed_by':'reg_a'}]"))
                .containsExactly("job[1]: is claimed, and job[0] has not begun on one node");
        String begun = "{'target':'any','do':'ls','winner':'reg_a','executioner':'Node: reg_a, worker: 1',"
                + "'step_status':'running'}";
        String claimed = "{'target':'any','do':'ls','claimed_by':'reg_a'}";
        assertThat(job("{'_id':'j','creator':'reg_a','job':[" + begun + "," + claimed + "]}")
                        .step(1)
                        .progress()
                        .claimedBy())
                .contains("reg_a");
        assertThat(faults("'creator':'reg_a','job':[" + begun + "," + STEP + "," + claimed + "]"))
                .containsExactly("job[2]: is claimed, and job[1] has not begun on one node");
        assertThat(faults("'creator':'reg_a','job':[" + begun + "," + begun + "]"))
                .containsExactly("job[1]: has begun, and job[0] has not finished");
    }

    @Test
    void aPersonEndsAJobByItsStatus() {
        String open = "{'_id':'j','creator':'reg_a','job':[" + STEP + "],'job_status':";
        assertThat(job(open + "'Cancelled'}").verdict())
                .contains(new Verdict(Verdict.Status.CANCELLED, Optional.empty()));
        assertThat(job(open + "'failed','reason':'no longer wanted'}").verdict())
                .contains(Verdict.failed("no longer wanted"));
    }

    @Test
    void aNodeThatIsGoneMattersOnlyToWhatIsStillToBeDone() {
        String finished = "{'target':'old','do':'ls','claimed_by':'old','winner':'old','step_status':'finished',"
                + "'executioner':'Node: old, worker: 1'}";
        JobDocument job = job("{'_id':'j','creator':'reg_a','job':[" + finished + "," + STEP + "]}");
        assertThat(job.currentStep()).isEqualTo(1);
        assertThat(faults("'creator':'reg_a','job':[" + finished.replace("finished", "running") + "]"))
                .contains("job[0].target: there is no node or group \"old\"");
    }

    @Test
    void aRefusalIsWrittenOnceAndNothingElseIsTouched() {
        ObjectNode document = SampleJobs.json("{'_rev':'1-a','_id':'j','job':[{'do':3}],'job_status':null,'x':1}");
        ParsedDocument.Broken broken = (ParsedDocument.Broken) reader.read(document);
        ObjectNode refused = DocumentWriter.refuse(document, broken.reason());
        assertThat(broken.isEnded()).isFalse();
        assertThat(refused.toString())
                .startsWith("{\"_rev\":\"1-a\",\"_id\":\"j\",\"job\":[{\"do\":3}],\"job_status\":\"failed\",\"x\":1,");
        assertThat(refused.path("reason").stringValue()).isEqualTo(broken.reason());
        assertThat(((ParsedDocument.Broken) reader.read(refused)).isEnded()).isTrue();
    }

    @Test
    void otherPeoplesDocumentsAreLeftAlone() {
        for (String other : List.of(
                "{'_id':'a','Name':'John Doe','Occupation':'Programmer'}",
                "{'_id':'a','name':'John Doe','job':'Programmer'}",
                "{'_id':'a','name':'John Doe','job':['singer','actor']}",
                "{'_id':'a','creator':'me'}",
                "{'_id':'a','type':'Invoice','creator':'me','job':[]}",
                "{'_id':'a','type':{},'creator':'me','job':[]}",
                "{'_id':'_design/work','creator':'me','job':[]}",
                "{'_id':'a','_deleted':true,'creator':'reg_a','job':[]}")) {
            assertThat(reader.read(SampleJobs.json(other))).as(other).isInstanceOf(ParsedDocument.Other.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"'job'", "'Job'", "'workitem'", "{}", "7"})
    void aTypeDoesNotHideAJob(String type) {
        assertThat(faults("'type':" + type + ",'creator':'reg_a','job':[{'target':'any','do':'ls'}]"))
                .containsExactly("type: there is no such field");
    }

    @Test
    void aDamagedDocumentIsReadOrRefusedAndNeverHarmsTheReader() {
        Samples.check(500, samples -> {
            ObjectNode document = DocumentWriter.write(SampleJobs.history(samples));
            // A single damaged value is seldom an object within a step.
            for (int left = samples.anyBoolean() ? 1 : samples.between(2, 20); left > 0; left--) {
                damage(document, samples);
            }
            ParsedDocument parsedDocument = reader.read(document);
            if (parsedDocument instanceof ParsedDocument.Job job) {
                assertThat(reader.read(DocumentWriter.write(job.document(), document)))
                        .isEqualTo(new ParsedDocument.Job(job.document()));
            } else if (parsedDocument instanceof ParsedDocument.Broken broken) {
                assertThat(broken.faults()).isNotEmpty().allMatch(fault -> fault.length() < 1_000);
                assertThat(DocumentWriter.refuse(document, broken.reason()).path("job"))
                        .isEqualTo(document.path("job"));
            }
        });
    }

    /** Replaces one value of the document. */
    private static void damage(ObjectNode object, Samples samples) {
        List<String> names = List.copyOf(object.propertyNames());
        if (names.isEmpty()) {
            return;
        }
        String name = samples.of(names);
        JsonNode value = object.path(name);
        boolean isInside = !samples.isOneOf(4);
        if (value instanceof ObjectNode inner && isInside) {
            damage(inner, samples);
        } else if (value instanceof ArrayNode array && !array.isEmpty() && isInside) {
            int index = samples.between(0, array.size() - 1);
            if (array.path(index) instanceof ObjectNode inner) {
                damage(inner, samples);
            } else {
                array.set(index, damaged(samples));
            }
        } else if (!name.equals("_id")) {
            object.set(name, damaged(samples));
        }
    }

    private static JsonNode damaged(Samples samples) {
        String text =
                samples.of("null", "0", "-1", "1.5", "1e300", "'x'", "''", "[]", "['x',{}]", "{}", "{'a':{}}", "true");
        return SampleJobs.JSON.readTree(text.replace('\'', '"'));
    }

    private static String begun(String status) {
        return "{'_id':'j','creator':'reg_a','job':[{'target':'regional','do':'ls',"
                + "'executioner':'Node: reg_a, worker: 1'," + status + "}]}";
    }

    private static StepPlan step(String command) {
        return new StepPlan(
                new Target.Any(),
                new ActionPlan.Shell(command, Optional.empty(), Map.of()),
                Optional.empty(),
                RetryStrategy.none(),
                Optional.empty());
    }

    private Target target(String json) {
        return job("{'_id':'j','creator':'reg_a','job':[{'target':" + json + ",'do':'ls'}]}")
                .step(0)
                .plan()
                .target();
    }

    private List<String> stepFaults(String fields) {
        return faults("'creator':'reg_a','job':[{'target':'any','do':'ls'," + fields + "}]");
    }

    private List<String> faults(String fields) {
        return ((ParsedDocument.Broken) reader.read(SampleJobs.json("{'_id':'j'," + fields + "}"))).faults();
    }

    private JobDocument job(String json) {
        ParsedDocument parsedDocument = reader.read(SampleJobs.json(json));
        assertThat(parsedDocument).isInstanceOf(ParsedDocument.Job.class);
        return ((ParsedDocument.Job) parsedDocument).document();
    }
}
