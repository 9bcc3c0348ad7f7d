package dev.couchjobs.model;

import static org.assertj.core.api.Assertions.assertThat;

import edu.mit.csail.sdg.alloy4.A4Reporter;
import edu.mit.csail.sdg.ast.Command;
import edu.mit.csail.sdg.ast.Module;
import edu.mit.csail.sdg.ast.Sig;
import edu.mit.csail.sdg.parser.CompUtil;
import edu.mit.csail.sdg.translator.A4Options;
import edu.mit.csail.sdg.translator.A4Solution;
import edu.mit.csail.sdg.translator.TranslateAlloyToKodkod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import kodkod.engine.satlab.SATFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The model of claims in src/model/alloy: its laws hold, and each defect breaks one. */
class ClaimsModelTest {
    private static final Path MODELS = Path.of("src", "model", "alloy");
    private static final Path LAWS = MODELS.resolve("laws.als");
    private static final Path DEFECTS = MODELS.resolve("defects.als");
    private static final Pattern LAW = Pattern.compile("Present.* implies (\\w+)");
    private static final Pattern DEFECT = Pattern.compile("Present = (\\w+)");

    static Stream<Arguments> commands() {
        return Stream.of(LAWS, DEFECTS)
                .map(ClaimsModelTest::parse)
                .flatMap(model ->
                        model.getAllCommands().stream().map(command -> Arguments.of(command.label, model, command)));
    }

    /** A check looks for a trace that breaks its law, a run for one of the kind that it describes. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("commands")
    void eachCommandFindsATraceOrNoneAsExpected(String label, Module model, Command command) {
        A4Options options = new A4Options();
        options.solver = SATFactory.get("sat4j"); // needs no native code
        A4Solution solution =
                TranslateAlloyToKodkod.execute_command(A4Reporter.NOP, model.getAllReachableSigs(), command, options);
        assertThat(solution.satisfiable() ? 1 : 0)
                .as(() -> label + ": " + solution)
                .isEqualTo(command.expects);
    }

    @Test
    void eachLawIsBrokenByADefectAndEachDefectBreaksALaw() throws IOException {
        Set<String> defects = parse(DEFECTS).getAllReachableSigs().stream()
                .filter(sig -> sig instanceof Sig.PrimSig child
                        && child.parent != null
                        && child.parent.label.equals("claims/Defect"))
                .map(sig -> sig.label.substring("claims/".length()))
                .collect(Collectors.toSet());
        assertThat(find(LAW, DEFECTS)).isNotEmpty().isEqualTo(find(LAW, LAWS));
        assertThat(find(DEFECT, DEFECTS)).isNotEmpty().isEqualTo(defects);
    }

    private static Module parse(Path path) {
        return CompUtil.parseEverything_fromFile(A4Reporter.NOP, null, path.toString());
    }

    private static Set<String> find(Pattern pattern, Path path) throws IOException {
        return pattern.matcher(Files.readString(path))
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toSet());
    }
}
