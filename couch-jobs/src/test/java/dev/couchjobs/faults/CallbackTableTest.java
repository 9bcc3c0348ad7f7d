package dev.couchjobs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.fdb.testing.Callbacks;
import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.SecretKey;
import org.junit.jupiter.api.Test;

/** docs/callbacks.md lists every callback of the public API, and CallbacksTest tries what the page lists. */
class CallbackTableTest {
    /** Interfaces of the JDK by which a user's code is called. */
    private static final List<Class<?>> OF_JDK =
            List.of(Executor.class, InstantSource.class, RandomGenerator.class, SecretKey.class, Comparator.class);

    /** Called by other ways than an interface: FoundationDB's objects have them, or errors that a user makes. */
    private static final Set<String> OTHERS =
            Set.of("Database.getExecutor", "Transaction.getExecutor", "Processor.fail");

    private static final List<Class<?>> PUBLIC = publicClasses();

    private static List<Class<?>> publicClasses() {
        try {
            Path root = Path.of(CouchJobs.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            try (Stream<Path> files = Files.list(root.resolve("dev/couchjobs"))) {
                return files.map(file -> file.getFileName().toString())
                        .filter(name -> name.endsWith(".class") && !name.equals("package-info.class"))
                        .map(name -> loaded("dev.couchjobs." + name.replace(".class", "")))
                        .filter(CallbackTableTest::isPublic)
                        .collect(Collectors.toList());
            }
        } catch (IOException | URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Class<?> loaded(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isPublic(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return Modifier.isPublic(type.getModifiers()) && (outer == null || isPublic(outer));
    }

    private static Stream<Method> methods(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic());
    }

    private static Stream<Class<?>> classesIn(Type type) {
        if (type instanceof ParameterizedType parts) {
            return Stream.concat(
                    Stream.of((Class<?>) parts.getRawType()),
                    Arrays.stream(parts.getActualTypeArguments()).flatMap(CallbackTableTest::classesIn));
        }
        return type instanceof Class<?> one ? Stream.of(one) : Stream.empty();
    }

    /** {@return the interfaces that the library takes and never gives} */
    private static Set<Class<?>> implementedByUsers() {
        Set<Class<?>> given = PUBLIC.stream()
                .flatMap(type -> methods(type)
                        .filter(method -> method.getReturnType() != method.getDeclaringClass()
                                || !Modifier.isStatic(method.getModifiers())))
                .flatMap(method -> classesIn(method.getGenericReturnType()))
                .collect(Collectors.toSet());
        return PUBLIC.stream()
                .filter(type -> !type.isInterface())
                .flatMap(type -> Stream.<Executable>concat(methods(type), Arrays.stream(type.getConstructors())))
                .flatMap(method -> Arrays.stream(method.getParameterTypes()))
                .filter(type -> type.isInterface() && PUBLIC.contains(type) && !given.contains(type))
                .collect(Collectors.toSet());
    }

    private static boolean isCallback(Class<?> type) {
        return type.getPackageName().equals("java.util.function")
                || (type.isAnnotationPresent(FunctionalInterface.class)
                        && type.getPackageName().startsWith("java."))
                || OF_JDK.stream().anyMatch(each -> each.isAssignableFrom(type) && type.isInterface());
    }

    /** The parts of a record that the user makes are its callbacks; other methods are theirs. */
    private static Stream<String> callbacks(Class<?> type) {
        Stream<String> parts = Arrays.stream(type.getConstructors())
                .flatMap(constructor -> Arrays.stream(constructor.getParameters()))
                .filter(parameter -> isCallback(parameter.getType()))
                .map(Parameter::getName);
        Stream<String> methods = methods(type)
                .filter(method -> Arrays.stream(method.getParameterTypes()).anyMatch(CallbackTableTest::isCallback))
                .map(Method::getName);
        return Stream.concat(parts, methods).map(name -> type.getSimpleName() + "." + name);
    }

    private static Set<String> ofTheApi() {
        Set<Class<?>> byUsers = implementedByUsers();
        Stream<String> implemented = byUsers.stream()
                .flatMap(type -> methods(type)
                        .filter(method -> !Modifier.isStatic(method.getModifiers()))
                        .map(method -> type.getSimpleName() + "." + method.getName()));
        Stream<String> taken = PUBLIC.stream()
                .filter(type -> !byUsers.contains(type) && type.getEnclosingClass() == null)
                .flatMap(CallbackTableTest::callbacks);
        return Stream.concat(implemented, taken).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void theDocsListEveryCallbackOfTheApi() throws IOException {
        Set<String> listed = Stream.concat(
                        Callbacks.documented("Jobs").stream(),
                        Callbacks.documented("The environment and the database").stream())
                .map(row -> row.split(",", 2)[0])
                .filter(name -> !OTHERS.contains(name))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(listed).isEqualTo(ofTheApi());
    }
}
