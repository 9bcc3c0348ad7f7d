package dev.couchjobs.bridge.internal.document;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Samples;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** darticle's documents, without and with the fields that the bridge adds. */
class WorkItemTest {
    private static final Instant FEBRUARY = Instant.ofEpochSecond(1_296_945_062);
    private final DocumentReader reader = new DocumentReader(SampleJobs.CLUSTER);

    @Test
    void aWorkItemIsDueAtItsDateInSecondsOrAsText() {
        assertThat(item("{'_id':'w','type':'WorkItem','worker':'email','date':1296945062,'to':'a@b.c'}"))
                .isEqualTo(new WorkItem(
                        "w", "email", FEBRUARY, false, Optional.empty(), Optional.empty(), 0, Optional.empty()));
        assertThat(item("{'_id':'w','type':'WorkItem','worker':'email','date':'2011-02-05T22:31:02Z'}")
                        .due())
                .isEqualTo(FEBRUARY);
    }

    @Test
    void aWorkItemWithoutADateIsDueAtOnce() {
        assertThat(item("{'_id':'w','type':'WorkItem','worker':'scrape','date':null}")
                        .due())
                .isEqualTo(Instant.EPOCH);
    }

    @Test
    void whatIsClaimedOrHasFailedIsNotOpen() {
        WorkItem open = item("{'_id':'w','type':'WorkItem','worker':'email'}");
        assertThat(open.isOpen()).isTrue();
        assertThat(open.claimed("reg_a").isOpen()).isFalse();
        assertThat(open.claimed("reg_a").released()).isEqualTo(open);
        assertThat(open.claimed("reg_a").failed("no such user").isOpen()).isFalse();
        assertThat(open.claimed("reg_a").retried(FEBRUARY, "try later").isOpen())
                .isTrue();
        assertThat(item("{'_id':'w','type':'WorkItem','worker':'email','status':'fail'}")
                        .isOpen())
                .isFalse();
    }

    @Test
    void aRetryIsWrittenWithItsNewDateAndWhatTheWorkIsAboutStays() {
        ObjectNode document =
                SampleJobs.json("{'_id':'w','_rev':'1-a','type':'WorkItem','worker':'email','date':5,'to':'x'}");
        WorkItem retried = read(document).claimed("reg_a").retried(FEBRUARY, "greylisted");
        assertThat(DocumentWriter.write(retried, document))
                .isEqualTo(
                        SampleJobs.json("{'_id':'w','_rev':'1-a','type':'WorkItem','worker':'email','date':1296945062,"
                                + "'to':'x','claimed':false,'status':'retry','attempts':1,'reason':'greylisted'}"));
    }

    @Test
    void aDateThatDoesNotChangeStaysAsItWasWritten() {
        ObjectNode document =
                SampleJobs.json("{'_id':'w','type':'WorkItem','worker':'email','date':'2011-02-05T23:31:02+01:00'}");
        assertThat(DocumentWriter.write(read(document).claimed("reg_a"), document)
                        .path("date")
                        .stringValue())
                .isEqualTo("2011-02-05T23:31:02+01:00");
    }

    @Test
    void allThatIsWrongIsSaidAndNoViewOffersTheDocumentAnyMore() {
        ObjectNode document =
                SampleJobs.json("{'_id':'w','type':'WorkItem','date':true,'claimed':'no','status':'fial'}");
        ParsedDocument.Broken broken = (ParsedDocument.Broken) reader.read(document);
        assertThat(broken.faults())
                .containsExactly(
                        "worker: is missing; name the kind of work",
                        "date: is \"true\"; it has to be seconds since 1970, or a time such as 2011-02-05T22:31:02Z",
                        "claimed: is a text; it has to be true or false",
                        "status: is \"fial\"; it can be null, retry or fail; did you mean \"fail\"?");
        ObjectNode refused = DocumentWriter.refuse(document, broken.reason());
        assertThat(refused.path("claimed").booleanValue()).isTrue();
        assertThat(((ParsedDocument.Broken) reader.read(refused)).isEnded()).isTrue();
    }

    @Test
    void aReasonEndsWithTheEndOfWhatWasSaid() {
        assertThat(WorkItem.reason("exit status 4", " no\nluck\n")).isEqualTo("exit status 4: no\nluck");
        assertThat(WorkItem.reason("exit status 4", "\n")).isEqualTo("exit status 4");
        assertThat(WorkItem.reason("exit status 4", "x".repeat(9000) + " no luck"))
                .startsWith("exit status 4: ...xxx")
                .endsWith("xxx no luck")
                .hasSize(DocumentLimits.REASON);
        assertThat(WorkItem.reason("why", "🙂".repeat(300)).codePoints())
                .noneMatch(character -> Character.getType(character) == Character.SURROGATE);
    }

    private static WorkItem item(Samples samples) {
        Optional<String> node = SampleJobs.optional(samples, value -> value.of("reg_a", "reg_b"));
        return new WorkItem(
                "w",
                samples.of("email", "scrape"),
                Instant.ofEpochMilli(samples.between(0, 4_000_000_000_000L)),
                node.isPresent(),
                SampleJobs.optional(samples, value -> value.of(WorkItem.Status.values())),
                node,
                samples.between(0, 9),
                SampleJobs.optional(samples, value -> "why"));
    }

    @Test
    void anItemIsReadAsItWasWritten() {
        Samples.check(300, samples -> {
            WorkItem item = item(samples);
            ObjectNode written = DocumentWriter.write(item, SampleJobs.json("{}"));
            assertThat(read((ObjectNode) SampleJobs.JSON.readTree(written.toString())))
                    .isEqualTo(item);
        });
    }

    @Test
    void theViewIsQueriedByKindAndTime() {
        assertThat(WorkView.design().at("/views/new/map").stringValue()).contains("emit([doc.worker, due || 0], null)");
        assertThat(WorkView.firstKey("email").toString()).isEqualTo("[\"email\",0]");
        assertThat(WorkView.lastKey("email", FEBRUARY).toString()).isEqualTo("[\"email\",1296945062]");
    }

    private WorkItem item(String json) {
        return read(SampleJobs.json(json));
    }

    private WorkItem read(ObjectNode document) {
        return ((ParsedDocument.Work) reader.read(document)).item();
    }
}
