package dev.couchjobs.bridge.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.couchjobs.bridge.internal.couch.Credentials;
import dev.couchjobs.bridge.internal.document.ActionPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigReaderTest {
    private static final Map<String, String> VARIABLES = Map.of("COUCH_PW", "from the environment");
    private static final String SMALLEST = """
            node = "alpha"
            couchdb.url = "http://localhost:5984/jobs"
            engine.directory = "data"
            """;

    @TempDir
    Path directory;

    @Test
    void aSmallFileIsEnoughAndAllowsNothing() throws ConfigException {
        BridgeConfig config = read(SMALLEST);

        assertThat(config.cluster().nodes()).containsExactly("alpha");
        assertThat(config.join()).isEqualTo(BridgeConfig.Join.REPLICATION);
        assertThat(config.engine())
                .isEqualTo(new EngineConfig.Directory(directory.resolve("data"), "couch-jobs-bridge"));
        assertThat(config.couchdb().credentials()).isEqualTo(new Credentials.None());
        assertThat(config.claimTimeout()).isEqualTo(Duration.ofMinutes(5));
        assertThat(config.shell().isEnabled()).isFalse();
        assertThat(config.describe()).contains("shell commands: none", "HTTP requests: to no host, each within 1 m");
    }

    @Test
    void theExampleThatComesWithTheProgramIsRight() throws ConfigException {
        BridgeConfig config = ConfigReader.read(Path.of("src/main/dist/bridge.toml"), Map.of(), Optional.of(Set.of()));

        assertThat(config.describe())
                .contains(
                        "node alpha of alpha, beta, gamma, joined by replication",
                        "group web: alpha, beta",
                        "CouchDB: http://localhost:5984/jobs, without a user, created if missing, heartbeat 10 s",
                        "HTTP requests: to api.example.org, *.internal.example.org:8080, each within 1 m",
                        "replicates with beta: http://beta.example.org:5984/jobs, without a user",
                        "work items of kind email: POST https://api.example.org/mail, 1 at a time");
    }

    @Test
    void whatTheExampleShowsInCommentsIsRightToo() throws IOException, ConfigException {
        String shown = Files.readString(Path.of("src/main/dist/bridge.toml"))
                .replaceAll("(?m)^# ([a-z_]+ = )", "$1")
                .replaceAll("(?m)^directory = \"data\"\n", "")
                .replace("join = \"replication\"", "join = \"foundationdb\"");
        Files.writeString(directory.resolve("couchdb-password"), "geheim\n");
        Files.writeString(directory.resolve("ca.pem"), "");

        BridgeConfig config = read(shown);

        assertThat(config.couchdb().credentials()).isEqualTo(new Credentials.Basic("bridge", "geheim"));
        assertThat(config.engine()).isInstanceOf(EngineConfig.ClusterFile.class);
        assertThat(String.join("\n", config.describe())).contains("as bridge").doesNotContain("geheim");
        assertThat(config.toString()).doesNotContain("geheim");
    }

    @Test
    void aPasswordMayComeFromTheEnvironment() throws ConfigException {
        BridgeConfig config =
                read(SMALLEST + "couchdb.user = 'me'\ncouchdb.password_env = 'COUCH_PW'\ncouchdb.auth = 'cookie'");

        assertThat(config.couchdb().credentials()).isEqualTo(new Credentials.Cookie("me", "from the environment"));
    }

    @Test
    void commandsNeverSeeTheVariableWithThePassword() {
        assertThat(mistakes(SMALLEST + """
                        couchdb.user = "me"
                        couchdb.password_env = "COUCH_PW"
                        shell.environment = ["PATH", "COUCH_PW"]
                        """))
                .containsExactly(
                        "shell.environment: COUCH_PW contains a password of CouchDB, which commands must not get");
    }

    @Test
    void allMistakesAreToldAtOnce() {
        assertThat(mistakes("""
                        nod = "alpha"
                        workers = 0
                        claim_timeout = "5 minutes"
                        [couchdb]
                        url = "localhost"
                        user = "me"
                        [shell]
                        enabled = "yes"
                        alow = ["x"]
                        [http]
                        hosts = ["http://example.org"]
                        [work_items.email]
                        kind = "http"
                        do = "mail"
                        """))
                .containsExactlyInAnyOrder(
                        "node: is missing",
                        "nod: there is no such key; did you mean \"node\"?",
                        "workers: has to be a whole number of at least 1",
                        "claim_timeout: '5 minutes' is not a time; write \"30s\", \"5m\", \"2h\" or \"PT30S\"",
                        "couchdb.url: is not the http or https URL of a database",
                        "couchdb.user: a user and a password (password, password_file or password_env) are given"
                                + " together"
                                + " or not at all",
                        "engine.directory: either this or engine.cluster_file has to be given, and not both",
                        "shell.enabled: has to be true or false",
                        "shell.alow: there is no such key; did you mean \"allow\"?",
                        "http.hosts: 'http://example.org' is not a host; write example.org, *.example.org,"
                                + " example.org:8080 or *",
                        "work_items.email.do: has to be a method and a URL, such as \"POST https://example.org/mail\"");
    }

    @Test
    void whatIsNotTomlIsToldWithItsLine() {
        assertThat(mistakes("node = \"alpha\"\n[couchdb\n"))
                .singleElement()
                .asString()
                .startsWith("line 2: not TOML: ");
    }

    @Test
    void aFileThatIsNotThereIsAMistake() {
        ConfigException error = catchThrowableOfType(
                ConfigException.class,
                () -> ConfigReader.read(directory.resolve("none.toml"), Map.of(), Optional.empty()));

        assertThat(error.mistakes()).singleElement().asString().contains("cannot be read", "none.toml");
    }

    @Test
    void namesOfNodesAndGroupsMustNotBeAmbiguous() {
        assertThat(mistakes(SMALLEST + "cluster.nodes = ['alpha', 'any']"))
                .singleElement()
                .asString()
                .contains("\"any\"");
        assertThat(mistakes(SMALLEST + "cluster.nodes = ['alpha']\ncluster.groups.alpha = ['alpha']"))
                .containsExactly("cluster.groups: \"alpha\" is the name of a node and of a group");
        assertThat(mistakes(SMALLEST + "cluster.groups.web = ['alhpa']"))
                .containsExactly("cluster.groups: the group \"web\" names \"alhpa\", which is not a node;"
                        + " did you mean \"alpha\"?");
    }

    @Test
    void aNodeOutsideItsClusterIsAMistake() {
        assertThat(mistakes(SMALLEST + "cluster.nodes = ['alpha1', 'beta']"))
                .containsExactly("node: 'alpha' is not one of cluster.nodes; did you mean \"alpha1\"?");
    }

    @Test
    void nodesThatShareAFoundationDbCannotKeepTheirJobsInADirectory() {
        assertThat(mistakes(SMALLEST + "cluster.join = 'foundationdb'"))
                .singleElement()
                .asString()
                .startsWith("engine.directory: nodes that are joined by \"foundationdb\" share one cluster");
    }

    @Test
    void anAddressHoldsADatabaseAndNoPassword() {
        assertThat(mistakes(SMALLEST.replace("http://localhost:5984/jobs", "http://me:pw@localhost:5984/")))
                .hasSize(2)
                .noneMatch(line -> line.contains("pw@"));
    }

    @Test
    void onlyOtherNodesArePeers() {
        assertThat(mistakes(SMALLEST + "cluster.nodes = ['alpha', 'beta']\n"
                        + "replication.peers.alpha.url = 'http://a/jobs'\nreplication.peers.bete.url"
                        + " = 'http://b/jobs'"))
                .containsExactly(
                        "replication.peers.alpha: is this node itself",
                        "replication.peers.bete: is not one of cluster.nodes; did you mean \"beta\"?");
    }

    @Test
    void workItemsNameTheirAction() throws ConfigException {
        BridgeConfig config = read(SMALLEST + "work_items.scrape.do = 'scrape'\nwork_items.scrape.kind = 'java'");

        assertThat(config.workItems().values())
                .extracting(WorkItemConfig::action)
                .hasOnlyElementsOfType(ActionPlan.Java.class);
    }

    @Test
    void whatIsDoneForWorkItemsHasToBeAllowed() {
        assertThat(mistakes(SMALLEST + """
                        workers = 0
                        [work_items.letter]
                        do = "cat >>letters"
                        [work_items.email]
                        kind = "http"
                        do = "POST https://api.example.org/mail"
                        """))
                .containsExactlyInAnyOrder(
                        "workers: has to be a whole number of at least 1",
                        "work_items.letter.do: is a command, which needs shell.enabled = true",
                        "work_items.email.do: the host api.example.org is not on the list of those that this node"
                                + " allows"
                                + " (http.hosts in its configuration)");
    }

    @Test
    void aHandlerAndAClusterFileHaveToBeThere() throws IOException, ConfigException {
        String toml = """
                node = "alpha"
                couchdb.url = "http://localhost:5984/jobs"
                engine.cluster_file = "fdb.cluster"
                work_items.scrape = { kind = "java", do = "scrap" }
                """;
        ConfigException error = catchThrowableOfType(
                ConfigException.class,
                () -> ConfigReader.parse(toml, directory, VARIABLES, Optional.of(Set.of("scrape"))));

        assertThat(error.mistakes())
                .containsExactly(
                        "engine.cluster_file: there is no file " + directory.resolve("fdb.cluster"),
                        "work_items.scrape.do: there is no handler 'scrap'; did you mean \"scrape\"?");
        assertThat(read(toml).missing(Set.of("scrap"), true)).isEmpty();
        Files.writeString(directory.resolve("fdb.cluster"), "");
        assertThat(read(toml).missing(Set.of("scrap"), false)).isEmpty();
    }

    @Test
    void theDescriptionSaysWhichCommandsDocumentsMayAskFor() throws ConfigException {
        assertThat(commands("allow = []")).startsWith("shell commands: none from documents, seeing ");
        assertThat(commands("allow = ['a']")).startsWith("shell commands: 1 as written, seeing ");
        assertThat(commands("allow_matching = ['b+', 'c']")).contains(": those that match one of 2 expressions, ");
        assertThat(commands("allow = ['a', 'b']\nallow_matching = ['c+']"))
                .contains(": 2 as written, and those that match an expression, ");
    }

    private String commands(String allow) throws ConfigException {
        return read(SMALLEST + "[shell]\nenabled = true\n" + allow).describe().stream()
                .filter(line -> line.startsWith("shell"))
                .findFirst()
                .orElseThrow();
    }

    private BridgeConfig read(String toml) throws ConfigException {
        return ConfigReader.parse(toml, directory, VARIABLES, Optional.empty());
    }

    private List<String> mistakes(String toml) {
        return catchThrowableOfType(ConfigException.class, () -> read(toml)).mistakes();
    }
}
