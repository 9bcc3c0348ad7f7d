package dev.couchjobs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.JsonCodec;
import dev.couchjobs.NewJob;
import dev.couchjobs.PayloadEncryption;
import dev.couchjobs.RawPayload;
import dev.couchjobs.fdb.Databases;
import java.io.IOException;
import java.lang.reflect.Type;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** The Java of the page on payloads, run; and that it is the page's. */
class Jackson2Test {
    record Jackson2Codec(ObjectMapper mapper) implements JsonCodec {
        @Override
        public byte[] write(Object value, Type type) throws IOException {
            return mapper.writerFor(mapper.constructType(type)).writeValueAsBytes(value);
        }

        @Override
        public Object read(byte[] json, Type type) throws IOException {
            return mapper.readValue(json, mapper.constructType(type));
        }
    }

    record Letter(@JsonProperty("to") String addressee) {}

    @Test
    void jobsAreWrittenAndReadByJackson2() {
        JobType<Letter, Void> letter = JobType.of("letter", Letter.class);
        try (Database database = Databases.inMemory()) {
            CouchJobs jobs = CouchJobs.builder(database)
                    .codec(new Jackson2Codec(new ObjectMapper()))
                    .build();

            jobs.add(database, letter, "l-1", new Letter("Ada")).join();

            assertThat(jobs.getJobData(database, letter, "l-1").join()).contains(new Letter("Ada"));
            jobs.close();
        }
    }

    @Test
    void payloadsAreEncrypted() {
        JobType<String, Void> letter = JobType.of("letter", String.class);
        SecretKey key = new SecretKeySpec(new byte[32], "AES");
        SecretKey olderKey = new SecretKeySpec(new byte[32], "AES");
        Database database = Databases.inMemory();

        PayloadEncryption keys = PayloadEncryption.writing("2026-11", key).reading("2026-05", olderKey);
        CouchJobs jobs = CouchJobs.builder(database).encryption(keys).build();

        jobs.add(database, letter, "l-1", "Ada").join();
        assertThat(jobs.getJobData(database, letter, "l-1").join()).contains("Ada");
        jobs.close();
        database.close();
    }

    @Test
    @SuppressWarnings("FutureReturnValueIgnored") // as on the page
    void rawPayloadsComeBackAsTheyWereStored() {
        Database db = Databases.inMemory();
        CouchJobs jobs = CouchJobs.builder(db).build();
        byte[] bytes = {1, 2, 3};

        JobType<RawPayload, RawPayload> type = JobType.of("scan", RawPayload.class, RawPayload.class);
        jobs.add(db, NewJob.of(type, RawPayload.of("image/png", bytes)));
        jobs.add(db, NewJob.of(type, RawPayload.json("{\"amount\": 0.12345678901234567890}")));

        jobs.add(db, type, "j1", RawPayload.of("image/png", bytes)).join();
        assertThat(jobs.getJobData(db, type, "j1").join()).contains(RawPayload.of("image/png", bytes));
        jobs.close();
        db.close();
    }

    @Test
    void theCodeOnThePageIsTheCodeAbove() throws IOException {
        CodeOfPage.isIn("docs/payloads.md", Jackson2Test.class, 11);
    }
}
