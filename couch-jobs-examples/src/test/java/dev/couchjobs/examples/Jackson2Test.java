package dev.couchjobs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.JsonCodec;
import dev.couchjobs.PayloadEncryption;
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
    void theCodeOnThePageIsTheCodeAbove() throws IOException {
        CodeOfPage.isIn("docs/payloads.md", Jackson2Test.class, 8);
    }
}
