package dev.couchjobs.bench.soak;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobCounts;
import dev.couchjobs.Worker;
import dev.couchjobs.fdb.Databases;
import dev.couchjobs.server.Access;
import dev.couchjobs.server.Authenticator;
import dev.couchjobs.server.JobsHttp;
import dev.couchjobs.server.JobsServer;
import dev.couchjobs.server.Role;
import dev.couchjobs.server.ServerOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.HdrHistogram.Recorder;
import tools.jackson.databind.json.JsonMapper;

/**
 * A server process: it holds the database, serves it over HTTP, and has three workers, each an instance with a clock
 * of its own. The clock of the last one can be moved, so the others outvote it.
 */
final class SoakServer implements AutoCloseable {
    static final String CHECK = "check";
    static final String CENSUS = "census";
    static final String MISSING = "missing";
    static final String CLOCK = "clock";
    static final String READY = "ready";

    private static final int WORKERS = 3;
    private static final int CONCURRENCY = 16;
    private static final int PAGE = 5_000;
    /** Of the library, of the jobs, of what is stored, of a type; then come ids. */
    private static final int KIND_WORDS = 4;

    private static final byte[] NOTHING_MORE = {0};

    private final Database database;
    private final Subspace prefix;
    private final EffectRows effects;
    private final MovableClock clock = new MovableClock();
    private final Recorder waits = ServerReply.recorder();
    private final List<CouchJobs> instances = new ArrayList<>();
    private final List<Worker> workers = new ArrayList<>();

    private SoakServer(Database database, Subspace prefix) {
        this.database = database;
        this.prefix = prefix;
        effects = new EffectRows(database, prefix);
        Environment system = Environment.system();
        Environment moved = new Environment(clock, system.scheduler(), new SecureRandom());
        for (int i = 0; i < WORKERS; i++) {
            CouchJobs jobs = SoakJobs.on(database, prefix)
                    .name("soak-" + i + "-" + ProcessHandle.current().pid())
                    .environment(i == WORKERS - 1 ? moved : system)
                    .build();
            instances.add(jobs);
            SoakJobs.store(jobs, database);
            workers.add(jobs.worker()
                    .concurrency(CONCURRENCY)
                    .handleAsync(SoakJobs.EFFECT_TYPE, this::run)
                    .start());
        }
    }

    private CompletionStage<Void> run(JobContext<SoakJobs.Effect> job) {
        SoakJobs.Effect effect = job.data();
        ServerReply.record(waits, effect.waited());
        return job.finishAsync(tx -> {
            effects.add(tx, effect.number());
            return CompletableFuture.completedFuture(null);
        });
    }

    /**
     * The program of a server process: it answers each line of its input, and ends with it.
     *
     * @param words the place of the database, the port, the prefix
     * @throws IOException if its input cannot be read
     */
    public static void main(String... words) throws IOException {
        Subspace prefix = new Subspace(Tuple.from(words[2]));
        try (Database database = Databases.open(words[0]);
                SoakServer soak = new SoakServer(database, prefix);
                CouchJobs jobs = SoakJobs.on(database, prefix).build();
                JobsServer server = JobsServer.start(
                        JobsHttp.on(jobs, database)
                                .subspace(prefix.subspace(Tuple.from("server")))
                                .audit(false)
                                .authenticator(Authenticator.always(Access.of("soak", Role.ADMIN))),
                        ServerOptions.on("127.0.0.1", Integer.parseInt(words[1])));
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            System.out.println(READY + " " + server.address().getPort());
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                System.out.println(soak.answer(line.split(" ", -1)));
            }
        }
    }

    private String answer(String... words) {
        try {
            return JsonMapper.shared()
                    .writeValueAsString(
                            switch (words[0]) {
                                case CHECK -> check();
                                case CENSUS -> census();
                                case MISSING -> missing(Long.parseLong(words[1]));
                                case CLOCK -> move(Long.parseLong(words[1]));
                                default -> throw new IllegalArgumentException(words[0]);
                            });
        } catch (RuntimeException e) {
            e.printStackTrace();
            return SoakProcess.FAILED + e;
        }
    }

    private ServerReply.Check check() {
        EffectRows.Checked checked = effects.check();
        return new ServerReply.Check(
                checked.frontier(), checked.doubled(), ServerReply.encoded(waits.getIntervalHistogram()));
    }

    private ServerReply.Missing missing(long bound) {
        long missing = effects.missing(bound);
        long unended = unended(
                        instances.get(0).counts(database, SoakJobs.WORK_TYPE).join())
                + unended(
                        instances.get(0).counts(database, SoakJobs.EFFECT_TYPE).join());
        return new ServerReply.Missing(missing, unended);
    }

    private static long unended(JobCounts counts) {
        return counts.pending() + counts.blocked() + counts.running();
    }

    private String move(long seconds) {
        clock.move(Duration.ofSeconds(seconds));
        return READY;
    }

    private ServerReply.Census census() {
        System.gc();
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        byte[] end = prefix.range().end;
        long rows = 0;
        long bytes = 0;
        Map<String, Long> kinds = new TreeMap<>();
        List<KeyValue> page = page(prefix.range().begin, end);
        while (!page.isEmpty()) {
            rows += page.size();
            for (KeyValue row : page) {
                bytes += row.getKey().length + row.getValue().length;
                kinds.merge(kind(prefix.unpack(row.getKey())), 1L, Long::sum);
            }
            page = page(ByteArrayUtil.join(page.get(page.size() - 1).getKey(), NOTHING_MORE), end);
        }
        return new ServerReply.Census(heap, rows, bytes, kinds);
    }

    private static String kind(Tuple key) {
        return key.getItems().stream()
                .limit(KIND_WORDS)
                .takeWhile(String.class::isInstance)
                .map(String::valueOf)
                .collect(Collectors.joining(" "));
    }

    private List<KeyValue> page(byte[] begin, byte[] end) {
        return database.read(
                tx -> tx.snapshot().getRange(begin, end, PAGE).asList().join());
    }

    @Override
    public void close() {
        workers.forEach(Worker::close);
        instances.forEach(CouchJobs::close);
    }
}
