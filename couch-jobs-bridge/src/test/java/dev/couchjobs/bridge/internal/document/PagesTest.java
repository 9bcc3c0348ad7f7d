package dev.couchjobs.bridge.internal.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.node.ObjectNode;

/** The bridge reads and writes what the pages on job documents show. */
class PagesTest {
    private static final Path FORMAT = Path.of("../rfc/014-job-documents.md");
    private static final Path GUIDE = Path.of("../docs/job-documents.md");
    private static final Pattern EXAMPLE = Pattern.compile("```json\n(.*?)```", Pattern.DOTALL);

    private final DocumentReader reader = new DocumentReader(
            NodeDirectory.of(List.of("global_node", "reg_a", "reg_b"), Map.of("regional", List.of("reg_a", "reg_b"))));

    static Stream<ObjectNode> examples() {
        return Stream.of(FORMAT, GUIDE).flatMap(page -> examples(page).stream());
    }

    @ParameterizedTest
    @MethodSource("examples")
    void anExampleIsReadOrIsRefusedForTheReasonThatItShows(ObjectNode example) {
        ParsedDocument parsedDocument = reader.read(example);
        if (parsedDocument instanceof ParsedDocument.Broken broken) {
            assertThat(broken.reason()).isEqualTo(example.path("reason").asString(""));
        } else if (parsedDocument instanceof ParsedDocument.Job job) {
            assertThat(reader.read(DocumentWriter.write(job.document(), example)))
                    .isEqualTo(parsedDocument);
        } else {
            assertThat(parsedDocument).isInstanceOf(ParsedDocument.Work.class);
        }
    }

    @Test
    void aStateInAnExampleIsWrittenAsItIsShown() {
        ObjectNode example = examples(FORMAT).stream()
                .filter(document -> document.path("_id").asString("").equals("update"))
                .findFirst()
                .orElseThrow();
        ParsedDocument.Job job = (ParsedDocument.Job) reader.read(example);
        assertThat(DocumentWriter.write(job.document(), example).toString()).isEqualTo(example.toString());
    }

    @Test
    void figure10IsReadAndKeptButForTheCaseOfItsStatus() {
        ObjectNode figure = examples(FORMAT).get(0);
        JobDocument job = ((ParsedDocument.Job) reader.read(figure)).document();
        assertThat(job.currentStep()).isEqualTo(1);
        assertThat(job.step(0).status()).contains(StepRun.Status.FINISHED);
        assertThat(job.step(1).progress().claimedBy()).contains("reg_b");
        assertThat(DocumentWriter.write(job, figure).toString())
                .isEqualTo(figure.toString().replace("Finished", "finished"));
    }

    @Test
    void everyFieldIsOnThePage() {
        String page = text(FORMAT);
        Stream.of(FieldNames.JOB, FieldNames.STEP, FieldNames.RETRY, WorkItemCodec.FIELDS)
                .flatMap(List::stream)
                .forEach(field -> assertThat(page).contains("`" + field + "`"));
    }

    private static List<ObjectNode> examples(Path page) {
        return EXAMPLE.matcher(text(page))
                .results()
                .map(match -> (ObjectNode) SampleJobs.JSON.readTree(match.group(1)))
                .toList();
    }

    private static String text(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
