package dev.couchjobs.internal.views;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonKey;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.couchjobs.JobType;
import dev.couchjobs.JsonCodec;
import dev.couchjobs.RawPayload;
import java.io.File;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.Currency;
import java.util.Date;
import java.util.EnumSet;
import java.util.GregorianCalendar;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SimpleTimeZone;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.datatype.DatatypeFactory;
import javax.xml.datatype.XMLGregorianCalendar;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import tools.jackson.databind.type.TypeFactory;

/** Values come back equal, and equal values have one digest. */
class JacksonCodecTest {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    static Stream<Object> values() {
        return Stream.of(
                ZonedDateTime.parse("2026-10-25T02:30+01:00[Europe/Berlin]"),
                ZonedDateTime.parse("2026-10-25T02:30+02:00[Europe/Berlin]"),
                ZonedDateTime.of(2026, 3, 1, 12, 0, 0, 123_456_789, BERLIN),
                ZonedDateTime.of(2026, 3, 1, 12, 0, 0, 0, ZoneOffset.UTC),
                ZonedDateTime.of(2026, 3, 1, 12, 0, 0, 0, ZoneId.of("UTC")),
                ZonedDateTime.of(2026, 3, 1, 12, 0, 0, 0, ZoneId.of("GMT+5")),
                ZonedDateTime.of(2026, 3, 1, 12, 0, 0, 0, ZoneOffset.ofHoursMinutesSeconds(1, 2, 3)),
                OffsetDateTime.parse("2026-10-25T02:30+01:00"),
                OffsetDateTime.parse("2026-10-25T02:30:00.000000001-11:30"),
                OffsetDateTime.parse("2026-10-25T02:30Z"),
                OffsetTime.parse("02:30+05:45"),
                Instant.parse("2026-10-25T02:30:00.123456789Z"),
                Instant.EPOCH.minusNanos(1),
                LocalDate.of(-44, 3, 15),
                LocalDateTime.of(2026, 1, 1, 0, 0),
                LocalTime.of(23, 59, 59, 1),
                Duration.ofNanos(Long.MAX_VALUE),
                Duration.ofMillis(-1),
                Period.of(1, -2, 3),
                Year.of(2026),
                YearMonth.of(2026, 2),
                MonthDay.of(2, 29),
                BERLIN,
                ZoneOffset.ofHours(-3),
                new BigDecimal("0.12345678901234567890"),
                new BigDecimal("1.10"),
                new BigDecimal("1E+400"),
                BigInteger.TWO.pow(3_000),
                Long.MIN_VALUE,
                Double.MIN_VALUE,
                -0.0,
                Double.NaN,
                Double.NEGATIVE_INFINITY,
                Float.MAX_VALUE,
                'x',
                UUID.fromString("00000000-0000-0001-0000-000000000002"),
                URI.create("https://example.org/?a=b#c"),
                Locale.forLanguageTag("zh-Hant-TW"),
                Currency.getInstance("EUR"),
                Thread.State.BLOCKED);
    }

    private static final JsonCodec CODEC = JsonCodec.of(new JsonMapper());

    @ParameterizedTest
    @MethodSource("values")
    void aValueComesBackEqual(Object value) throws Exception {
        Class<?> declared = value instanceof ZoneId && !(value instanceof ZoneOffset) ? ZoneId.class : value.getClass();

        assertThat(CODEC.read(CODEC.write(value, declared), declared)).isEqualTo(value);
    }

    private static BitSet bits() {
        BitSet bits = new BitSet();
        bits.set(3);
        return bits;
    }

    private static Timestamp timestamp(int nanos) {
        Timestamp timestamp = new Timestamp(1_790_000_000_000L);
        timestamp.setNanos(nanos);
        return timestamp;
    }

    record Held<T>(T value) {}

    @SuppressWarnings("JavaUtilDate") // payloads may hold one
    static Stream<Object> exactOrRefused() {
        return Stream.of(
                new Date(1_790_000_000_001L),
                java.sql.Date.valueOf("2026-03-01"),
                Time.valueOf("23:59:59"),
                timestamp(0),
                timestamp(123_000_000),
                timestamp(123_456_789),
                new GregorianCalendar(TimeZone.getTimeZone("UTC")),
                new GregorianCalendar(TimeZone.getTimeZone("Europe/Berlin")),
                new BitSet(),
                bits(),
                new Time(80_000_123L),
                Pattern.compile("a"),
                Pattern.compile("a", Pattern.CASE_INSENSITIVE),
                TimeZone.getTimeZone("Europe/Berlin"),
                new SimpleTimeZone(3_600_000, "mine"),
                xml("2026-03-01"),
                xml("10:11:12"),
                xml("2026-03-01T10:11:12"),
                xml("2026-03-01T10:11:12.123Z"),
                xml("2026-03-01T10:11:12.123456Z"),
                new IllegalStateException("bad luck"),
                new File("a"),
                new File("/a"),
                Path.of("a"),
                Path.of("/a"),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
                InetSocketAddress.createUnresolved("host", 1),
                RawPayload.json("{\"a\":1.0}"),
                RawPayload.of("image/png", new byte[] {1}));
    }

    @ParameterizedTest
    @MethodSource("exactOrRefused")
    void aValueInAnotherComesBackEqualOrIsRefused(Object value) throws Exception {
        Class<?> declared = DECLARED.stream()
                .filter(each -> each.isInstance(value))
                .findFirst()
                .orElse(null);
        Class<?> held = declared == null ? value.getClass() : declared;
        JavaType type = TypeFactory.createDefaultInstance().constructParametricType(Held.class, held);
        byte[] json;
        try {
            json = CODEC.write(new Held<>(value), type);
        } catch (RuntimeException e) {
            assertThat(e).hasMessageContainingAll(held.getSimpleName(), "Use ");
            return;
        }
        Held<?> read = (Held<?>) CODEC.read(json, type);
        if (value instanceof Pattern pattern) {
            assertThat(((Pattern) read.value()).flags()).isEqualTo(pattern.flags());
        } else {
            assertThat(read.value()).isEqualTo(value);
        }
    }

    /** What payloads declare where the JDK has other classes. */
    private static final List<Class<?>> DECLARED = List.of(TimeZone.class, XMLGregorianCalendar.class, Path.class);

    private static XMLGregorianCalendar xml(String text) {
        return DatatypeFactory.newDefaultInstance().newXMLGregorianCalendar(text);
    }

    record Numbers(Number one, List<? extends Number> several, Map<String, Number> named) {}

    /** A Number is read as a Double: a BigDecimal is refused if that rounds it. */
    @Test
    void aDecimalThatIsDeclaredAsNumberKeepsItsDigitsOrIsRefused() throws Exception {
        BigDecimal fine = new BigDecimal("0.12345678901234567890");
        Numbers rounded = new Numbers(new BigDecimal("0.5"), List.of(), Map.of("a", 1));
        assertThat(CODEC.read(CODEC.write(rounded, Numbers.class), Numbers.class))
                .isEqualTo(new Numbers(0.5, List.of(), Map.of("a", 1)));
        for (Numbers refused : List.of(
                new Numbers(fine, List.of(), Map.of()),
                new Numbers(1, List.of(fine), Map.of()),
                new Numbers(1, List.of(), Map.of("a", fine)))) {
            assertThatThrownBy(() -> CODEC.write(refused, Numbers.class)).hasMessageContaining("Declare a BigDecimal");
        }
        Type root = new TypeReference<List<Number>>() {}.getType();
        assertThatThrownBy(() -> CODEC.write(List.of(fine), root)).hasMessageContaining("Declare a BigDecimal");

        JsonCodec decimals = JsonCodec.of(JsonMapper.builder()
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .build());
        Numbers exact = new Numbers(fine, List.of(fine), Map.of());
        assertThat(decimals.read(decimals.write(exact, Numbers.class), Numbers.class))
                .isEqualTo(exact);
    }

    record Point(int x, int y) {}

    /** A class that says how it is a key. */
    record Named(@JsonKey String name) {
        @JsonCreator
        Named {}
    }

    private static <K> Arguments keyed(TypeReference<? extends Map<K, ?>> type, K key) {
        return Arguments.of(type.getType(), key);
    }

    static Stream<Arguments> keys() {
        return Stream.of(
                keyed(new TypeReference<Map<String, String>>() {}, "a"),
                keyed(new TypeReference<Map<Integer, String>>() {}, 1),
                keyed(new TypeReference<Map<Double, String>>() {}, 0.1),
                keyed(new TypeReference<Map<BigDecimal, String>>() {}, new BigDecimal("1.10")),
                keyed(new TypeReference<Map<UUID, String>>() {}, new UUID(1, 2)),
                keyed(new TypeReference<Map<Thread.State, String>>() {}, Thread.State.NEW),
                keyed(new TypeReference<Map<ZoneId, String>>() {}, BERLIN),
                keyed(new TypeReference<Map<Duration, String>>() {}, Duration.ofNanos(1)),
                keyed(new TypeReference<Map<Instant, String>>() {}, Instant.EPOCH.plusNanos(1)),
                keyed(new TypeReference<Map<Named, String>>() {}, new Named("a")),
                keyed(new TypeReference<Map<Locale, String>>() {}, Locale.GERMANY));
    }

    @ParameterizedTest
    @MethodSource("keys")
    void aKeyComesBackEqual(Type type, Object key) throws Exception {
        assertThat(CODEC.read(CODEC.write(Map.of(key, "x"), type), type)).isEqualTo(Map.of(key, "x"));
    }

    static Stream<Arguments> refusedKeys() {
        return Stream.of(
                keyed(new TypeReference<Map<Locale, String>>() {}, Locale.forLanguageTag("zh-Hant-TW")),
                keyed(new TypeReference<Map<List<Integer>, String>>() {}, List.of(1)),
                keyed(new TypeReference<Map<Point, String>>() {}, new Point(1, 2)),
                keyed(new TypeReference<Map<Number, String>>() {}, 1),
                keyed(new TypeReference<Map<Optional<Integer>, String>>() {}, Optional.of(1)),
                keyed(new TypeReference<Map<java.sql.Date, String>>() {}, java.sql.Date.valueOf("2026-03-01")),
                keyed(new TypeReference<Map<Timestamp, String>>() {}, timestamp(0)),
                keyed(new TypeReference<Map<TimeZone, String>>() {}, TimeZone.getTimeZone("Europe/Berlin")),
                keyed(new TypeReference<Map<Pattern, String>>() {}, Pattern.compile("a")),
                keyed(new TypeReference<Map<byte[], String>>() {}, new byte[] {1}));
    }

    @ParameterizedTest
    @MethodSource("refusedKeys")
    void aKeyThatDoesNotComeBackIsRefused(Type type, Object key) {
        assertThatThrownBy(() -> CODEC.write(Map.of(key, "x"), type))
                .hasMessageContainingAll("the key of a map", "Use a text");
        assertThatThrownBy(() -> CODEC.write(
                        new Held<>(Map.of(key, "x")),
                        TypeFactory.createDefaultInstance().constructParametricType(Held.class, mapOf(type))))
                .hasMessageContaining("the key of a map");
    }

    private static JavaType mapOf(Type type) {
        return TypeFactory.createDefaultInstance().constructType(type);
    }

    /** JSON has one kind of number: the docs say what becomes of the classes of Java. */
    @Test
    void untypedNumbersComeBackAsTheDocsSay() throws Exception {
        Map<String, Object> numbers = Map.of(
                "byte",
                (byte) 1,
                "long",
                1L,
                "large",
                Long.MAX_VALUE,
                "huge",
                BigInteger.TWO.pow(70),
                "float",
                0.5f,
                "decimal",
                new BigDecimal("0.12345678901234567890"));

        assertThat((Map<?, ?>) CODEC.read(CODEC.write(numbers, Map.class), Map.class))
                .isEqualTo(Map.of(
                        "byte",
                        1,
                        "long",
                        1,
                        "large",
                        Long.MAX_VALUE,
                        "huge",
                        BigInteger.TWO.pow(70),
                        "float",
                        0.5,
                        "decimal",
                        0.12345678901234568));
    }

    record Holder(@Nullable ZonedDateTime at, Optional<OffsetDateTime> end, Map<ZonedDateTime, BigDecimal> rates) {}

    @Test
    void whatAValueContainsComesBackEqual() throws Exception {
        ZonedDateTime at = ZonedDateTime.parse("2026-10-25T02:30+01:00[Europe/Berlin]");
        Holder holder = new Holder(at, Optional.of(at.toOffsetDateTime()), Map.of(at, new BigDecimal("2.50")));

        assertThat(CODEC.read(CODEC.write(holder, Holder.class), Holder.class)).isEqualTo(holder);
    }

    @Test
    void aTreeKeepsItsDigits() throws Exception {
        byte[] json = "{\"a\":0.12345678901234567890,\"b\":[1.0,1e400]}".getBytes(UTF_8);
        Object tree = CODEC.read(json, JsonNode.class);

        assertThat(CODEC.read(CODEC.write(tree, JsonNode.class), JsonNode.class))
                .isEqualTo(tree);
        assertThat(new String(CODEC.write(tree, JsonNode.class), UTF_8)).contains("0.12345678901234567890", "1.0");
    }

    private static <T> Set<T> reversed(Set<T> set) {
        List<T> elements = new ArrayList<>(set);
        Collections.reverse(elements);
        return new LinkedHashSet<>(elements);
    }

    record Tagged(Set<Object> tags, Map<String, Object> marks) {}

    private static String digest(Object value) {
        return new PayloadCodec(CODEC).digest(JobType.of("t", new TypeReference<Object>() {}), "j1", value);
    }

    @Test
    void equalSetsAndMapsHaveOneDigest() {
        Set<Object> tags = new TreeSet<>(List.of("a", "b", "c", "ü", "\uD83D\uDE00", "~"));
        Map<String, Object> marks = new LinkedHashMap<>(Map.of("x", 1, "y", List.of(1, 2), "z", Set.of("p", "q", "r")));
        Tagged one = new Tagged(tags, marks);
        Map<String, Object> other = new TreeMap<>(Comparator.reverseOrder());
        other.putAll(marks);
        other.put("z", reversed(Set.of("p", "q", "r")));

        assertThat(digest(new Tagged(reversed(tags), other))).isEqualTo(digest(one));
        assertThat(digest(new Tagged(new HashSet<>(tags), marks))).isEqualTo(digest(one));
        assertThat(digest(new Tagged(Set.copyOf(tags), marks))).isEqualTo(digest(one));
        assertThat(digest(reversed(Set.of(1, 2.5, 3L)))).isEqualTo(digest(Set.of(3L, 2.5, 1)));
        assertThat(digest(Map.of("s", Set.of(Set.of(1, 2), Set.of(3)))))
                .isEqualTo(digest(Map.of("s", Set.of(Set.of(3), Set.of(2, 1)))));
        assertThat(digest(List.of(1, 2))).isNotEqualTo(digest(List.of(2, 1)));
        assertThat(digest(Set.of(1, 2))).isNotEqualTo(digest(Set.of(1, 3)));
    }

    record Typed(@JsonTypeInfo(use = JsonTypeInfo.Id.CLASS) Object value) {}

    @Test
    void equalSetsWhoseClassIsWrittenHaveOneDigest() throws Exception {
        List<String> texts =
                IntStream.range(0, 40).mapToObj(i -> "k" + i * 7919).toList();
        Set<Object> large = new HashSet<>(4_096);
        large.addAll(texts);
        Typed one = new Typed(new HashSet<>(texts));

        assertThat(digest(new Typed(large))).isEqualTo(digest(one));
        assertThat(digest(new Typed(new HashSet<>(List.of(large)))))
                .isEqualTo(digest(new Typed(new HashSet<>(List.of(new HashSet<>(texts))))));
        assertThat(digest(new Typed(new LinkedHashSet<>(texts)))).isNotEqualTo(digest(one));
        assertThat(CODEC.write(new Typed(large), Typed.class)).isEqualTo(CODEC.write(one, Typed.class));
        JsonCodec reader = JsonCodec.of(JsonMapper.builder()
                .polymorphicTypeValidator(BasicPolymorphicTypeValidator.builder()
                        .allowIfBaseType(Object.class)
                        .build())
                .build());
        assertThat(reader.read(CODEC.write(one, Typed.class), Typed.class)).isEqualTo(one);
    }

    @Test
    void theDigestIsTheOneOfTheRfc() {
        RawPayload json = RawPayload.json("{\"b\":[1.50,true,\"x\"],\"a\":0}");
        JobType<RawPayload, ?> type = JobType.of("t", RawPayload.class);

        assertThat(new PayloadCodec(CODEC).digest(type, "j1", json))
                .isEqualTo("X4jwZQn+lkR6WK47PkNlQgsItXEibDjeRX3zyUCMXEs=");
    }

    @Test
    void aSetWithAnOrderKeepsItInWhatIsStored() throws Exception {
        TypeReference<LinkedHashSet<String>> type = new TypeReference<>() {};
        LinkedHashSet<String> set = new LinkedHashSet<>(List.of("c", "a", "b"));

        Object read = CODEC.read(CODEC.write(set, type.getType()), type.getType());

        assertThat((LinkedHashSet<?>) read).hasToString("[c, a, b]");
    }

    @Test
    void aSetWithoutAnOrderIsStoredInOneOrder() throws Exception {
        TypeReference<Set<String>> type = new TypeReference<>() {};
        Set<String> set = Set.of("c", "a", "b", "e", "d");

        assertThat(CODEC.write(set, type.getType()))
                .isEqualTo(CODEC.write(new HashSet<>(set), type.getType()))
                .isEqualTo("[\"a\",\"b\",\"c\",\"d\",\"e\"]".getBytes(UTF_8));
        assertThat(CODEC.write(EnumSet.allOf(Thread.State.class), Object.class)).startsWith('[', '"', 'N');
    }
}
