package dev.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What no compiler checks and every source file keeps to; each rule says what to do instead. */
class HouseRulesTest {
    private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
    private static final int LONGEST_LINE = 120;
    private static final Set<String> GATES = Set.of(
            "Environment.java",
            "SystemTimer.java",
            "DaemonThreads.java",
            "EngineThreads.java",
            "BridgeThreads.java",
            "ServerThreads.java");

    /** Calls of {@code CompletableFuture} that take an executor as their last argument, or else use the common pool. */
    private static final Pattern CONTINUATION = Pattern.compile("(?:CompletableFuture\\s*[.](?:supply|run)"
            + "|[.](?:then\\w+|handle|whenComplete|exceptionally\\w*|complete|acceptEither|applyToEither|runAfter\\w+))"
            + "Async\\(");

    private record Rule(String banned, Predicate<Path> where, String instead) {
        @Override
        public String toString() {
            return banned + ": " + instead;
        }
    }

    static Stream<Rule> rules() {
        return Stream.of(
                new Rule(
                        "Instant\\.now\\(|System(\\.|::)(currentTimeMillis|nanoTime)|Clock\\.system",
                        HouseRulesTest::isCore,
                        "take the time from the environment"),
                new Rule(
                        "new (Secure)?Random\\(|ThreadLocalRandom|Math\\.random|UUID\\.randomUUID",
                        HouseRulesTest::isCore,
                        "draw from the environment's random generator"),
                new Rule(
                        "new Thread\\(|Executors\\.|ForkJoinPool|\\.(supply|run)Async\\(\\(\\)|Thread\\.sleep",
                        HouseRulesTest::isCore,
                        "run it on the environment's scheduler or the database's executor"),
                new Rule(
                        "[.]sendAsync\\(|[.]onExit\\(|orTimeout|completeOnTimeout|delayedExecutor"
                                + "|parallelStream|[.]parallel\\(\\)|commonPool",
                        HouseRulesTest::isCore,
                        "these complete in the common pool, which all of the process shares: use HttpSender, a"
                                + " thread of"
                                + " your own that waits, or the environment's scheduler"),
                new Rule(
                        "[.](run|read)Async\\(|createTransaction|atabase(\\(\\))?[.](run|read)\\(",
                        HouseRulesTest::opensNoTransactions,
                        "open transactions by Transactions, or by BridgeContext, which name them"),
                new Rule(
                        "\\bFDB\\.|packWithVersionstamp|LocalityUtil",
                        HouseRulesTest::needsNoClient,
                        "these need the native client; see IncompleteVersionstamps and EmbeddedDatabase"),
                new Rule(
                        "AsyncUtil\\.(?!applySafely)",
                        HouseRulesTest::callsUsersExecutors,
                        "use GuardedExecutor.whileTrue: the loops of AsyncUtil never end if an executor throws"),
                new Rule(
                        "getExecutor\\(\\)(?! \\{)|::getExecutor",
                        HouseRulesTest::callsUsersExecutors,
                        "take it from GuardedExecutor: an executor of a user may refuse a task, or throw anything"),
                new Rule(
                        "(\\.|(?<!Thread)::)get(Cause|Message|StackTrace)\\b",
                        HouseRulesTest::asksErrorsOfUsers,
                        "ask RootCauses: an error may be of a user's class, which throws when it is asked"),
                new Rule(
                        "LoggerFactory",
                        HouseRulesTest::logsTextFromOutside,
                        "log by SafeLog: names, paths and messages of errors may contain a line of the log"),
                new Rule(
                        "Thread\\.sleep|TimeUnit\\.\\w+\\.sleep|@Disabled|@RepeatedTest|[aA]ssum(e|ing|ptions?)\\b[.(T]",
                        HouseRulesTest::isTest,
                        "wait on a future or drive virtual time; a test runs, and it runs once"),
                new Rule("TO" + "DO|FIX" + "ME|XX" + "X", path -> true, "do it, or write it down as an issue"));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void everySourceFileKeepsTheRule(Rule rule) throws IOException {
        Pattern banned = Pattern.compile(rule.banned);
        List<String> offences = new ArrayList<>();
        for (Path file : sources()) {
            if (rule.where.test(file)) {
                offences.addAll(offences(file, banned));
            }
        }
        assertThat(offences).as(rule.instead).isEmpty();
    }

    /** Rows of tables and lines of examples on pages are as long as they have to be. */
    @Test
    void linesFitInto120Columns() throws IOException {
        List<String> offences = new ArrayList<>();
        for (Path file : pagesAndMainCode()) {
            boolean isPage = file.toString().endsWith(".md");
            boolean isExample = false;
            for (String line : Files.readAllLines(file)) {
                isExample ^= isPage && line.strip().startsWith("```");
                boolean isProse = isPage && !isExample && !line.strip().startsWith("|");
                if (line.length() > LONGEST_LINE && (isProse || !isPage)) {
                    offences.add(PROJECT.relativize(file) + ": " + line);
                }
            }
        }
        assertThat(offences).as("break the line").isEmpty();
    }

    /** Without an executor what depends on a future runs in the common pool, which all of the process shares. */
    @Test
    void everyContinuationThatChangesThreadsNamesAnExecutor() throws IOException {
        List<String> offences = new ArrayList<>();
        for (Path file : sources()) {
            if (isCore(file)) {
                String text = Files.readString(file);
                CONTINUATION
                        .matcher(text)
                        .results()
                        .filter(call -> arguments(text, call.end()) < 2)
                        .forEach(call -> offences.add(PROJECT.relativize(file) + " " + call.group()));
            }
        }
        assertThat(offences)
                .as("name an executor of the environment or the database")
                .isEmpty();
    }

    @Test
    void theArgumentsOfACallAreCounted() {
        String call = "(a, b) -> { f(a, \"),(\"); return '('; }\n, executor); g(";
        assertThat(arguments(call, 0)).isEqualTo(2);
        assertThat(arguments("f(a, b))", 0)).isEqualTo(1);
        assertThat(arguments(")", 0)).isZero();
    }

    /** {@return how many arguments a call has, whose parenthesis was opened before that place} */
    private static int arguments(String text, int from) {
        int depth = 1;
        int commas = 0;
        int at = from;
        for (; depth > 0; at++) {
            char letter = text.charAt(at);
            switch (letter) {
                case '(', '[', '{' -> depth++;
                case ')', ']', '}' -> depth--;
                case ',' -> commas += depth == 1 ? 1 : 0;
                case '"', '\'' -> at = endOfLiteral(text, at);
                default -> {}
            }
        }
        return text.substring(from, at - 1).isBlank() ? 0 : commas + 1;
    }

    private static int endOfLiteral(String text, int from) {
        int at = from + 1;
        while (text.charAt(at) != text.charAt(from)) {
            at += text.charAt(at) == '\\' ? 2 : 1;
        }
        return at;
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(PROJECT)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> file.toString().contains("/src/"))
                    .filter(file -> !file.endsWith("HouseRulesTest.java"))
                    .toList();
        }
    }

    private static List<Path> pagesAndMainCode() throws IOException {
        try (Stream<Path> files = Files.walk(PROJECT)) {
            return files.filter(file -> {
                        String path = PROJECT.relativize(file).toString();
                        return !path.contains("target/")
                                && !path.contains("node_modules/")
                                && (path.endsWith(".md") || (path.contains("src/main/") && path.endsWith(".java")));
                    })
                    .toList();
        }
    }

    private static List<String> offences(Path file, Pattern banned) {
        List<String> offences = new ArrayList<>();
        try {
            List<String> lines = Files.readAllLines(file);
            for (int i = 0; i < lines.size(); i++) {
                if (banned.matcher(lines.get(i)).find()) {
                    offences.add(PROJECT.relativize(file) + ":" + (i + 1) + " "
                            + lines.get(i).trim());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return offences;
    }

    private static boolean isMain(Path file) {
        return file.toString().contains("/src/main/");
    }

    /** The library and the engine, but for their one gate each; examples, benchmarks and commands live outside. */
    private static boolean isCore(Path file) {
        return isMain(file)
                && !file.toString().contains("couch-jobs-examples")
                && !file.toString().contains("couch-jobs-bench")
                && !GATES.contains(file.getFileName().toString());
    }

    /** All but the gate of each module; what runs in whichever transaction it is given, or in a job's, opens none. */
    private static boolean opensNoTransactions(Path file) {
        return isMain(file)
                && (file.toString().contains("/couch-jobs/src/")
                        || file.toString().contains("/couch-jobs-bridge/src/"))
                && !file.endsWith("Transactions.java")
                && !file.endsWith("MinimumVersionContext.java")
                && !file.endsWith("BridgeContext.java")
                && !file.endsWith("StepRunner.java");
    }

    /** All but the gate, the engine, and contexts that stand for those of users. */
    private static boolean callsUsersExecutors(Path file) {
        return isCore(file)
                && !file.toString().contains("fdb-embedded")
                && !file.endsWith("GuardedExecutor.java")
                && !file.endsWith("MinimumVersionContext.java")
                && !file.endsWith("CommittedContext.java");
    }

    private static boolean asksErrorsOfUsers(Path file) {
        return file.startsWith(PROJECT.resolve("couch-jobs/src/main"))
                && !file.endsWith("RootCauses.java")
                && !file.endsWith("UserCode.java") // looks whether an error can be asked
                && !file.endsWith("ErrorText.java"); // says what cannot be had
    }

    /** All but the places where clusters are opened. */
    private static boolean needsNoClient(Path file) {
        return isMain(file)
                && !file.endsWith("ClusterDatabase.java")
                && !file.endsWith("FoundationDbContainer.java")
                && !file.endsWith("ShardOwners.java");
    }

    /** The modules that serve others: what they log comes from their callers. */
    private static boolean logsTextFromOutside(Path file) {
        return isMain(file)
                && (file.toString().contains("couch-jobs-server")
                        || file.toString().contains("couch-jobs-topics"));
    }

    private static boolean isTest(Path file) {
        return file.toString().contains("/src/test/");
    }
}
