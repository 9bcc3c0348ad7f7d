package dev.couchjobs.fdb.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.lang.reflect.Constructor;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An application that is started and stopped within this process, as servers of applications, development tools and
 * plugins do it, with classes that a class loader of its own has loaded.
 *
 * <p>Its main class is a {@code Consumer<Path>} with a public constructor. It gets an empty directory, starts what it
 * uses, works with it and closes it. Afterwards nothing of it may be left: no thread runs for it, and its class loader
 * can be collected.
 */
public final class Application {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long PAUSE_MILLIS = 20;

    private final Class<?> main;
    private final Predicate<String> isOwn;

    private Application(Class<?> main, Predicate<String> isOwn) {
        this.main = main;
        this.isOwn = isOwn;
    }

    /** An application that brings the library and all that it needs, as one that is deployed to a server does. */
    public static Application withAllClasses(Class<?> main) {
        return new Application(main, name -> true);
    }

    /**
     * An application whose classes are loaded anew while the library stays, as development tools do it: its main class,
     * and the classes that are nested in the same one.
     */
    public static Application withOwnClasses(Class<?> main) {
        String outer = main.getName().replaceFirst("[$].*", "");
        return new Application(main, name -> name.equals(outer) || name.startsWith(outer + "$"));
    }

    /** Runs it in the directory, closes its class loader, and asserts that nothing of it is left. */
    public void assertLeavesNothing(Path directory) {
        ReferenceQueue<ClassLoader> collected = new ReferenceQueue<>();
        WeakReference<ClassLoader> classes = run(directory, collected);
        linkAnotherRecord();
        long start = System.nanoTime();
        boolean isGone = false;
        while (!isGone && System.nanoTime() - start < PATIENCE_NANOS) {
            System.gc();
            isGone = isCollected(collected);
        }
        ClassLoader left = classes.get();
        assertThat(left == null ? List.of() : threadsOf(left))
                .as("threads that hold an application that has ended")
                .isEmpty();
        assertThat(isGone)
                .as("whether the classes of an application that has ended can be collected")
                .isTrue();
    }

    /** A record that this class loads anew each time. */
    public record Probe(@Nullable Probe next, int number) {}

    /** The JDK keeps the type of the record whose methods were linked last, for each kind of method (JDK-8078641). */
    private static void linkAnotherRecord() {
        try (Classes classes = new Classes(name -> name.startsWith(Application.class.getName()))) {
            Constructor<?> probe = classes.loadClass(Probe.class.getName()).getConstructors()[0];
            Object one = probe.newInstance(null, 1);
            Object other = probe.newInstance(one, 1);
            assertThat(one.equals(other)).isFalse();
            assertThat(other.hashCode()).isNotZero();
            assertThat(other.toString()).isNotEmpty();
        } catch (ReflectiveOperationException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isCollected(ReferenceQueue<ClassLoader> collected) {
        try {
            return collected.remove(PAUSE_MILLIS) != null;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private WeakReference<ClassLoader> run(Path directory, ReferenceQueue<ClassLoader> collected) {
        Thread current = Thread.currentThread();
        ClassLoader before = current.getContextClassLoader();
        try (Classes classes = new Classes(isOwn)) {
            current.setContextClassLoader(classes);
            start(classes.loadClass(main.getName()), directory);
            assertThat(threadsOf(classes))
                    .as("threads of the project when all is closed")
                    .noneMatch(thread -> thread.startsWith("couch-jobs") || thread.startsWith("fdb-embedded"));
            return new WeakReference<>(classes, collected);
        } catch (ReflectiveOperationException | IOException e) {
            throw new IllegalStateException("The application cannot run", e);
        } finally {
            current.setContextClassLoader(before);
        }
    }

    /**
     * Runs it on a thread of its own. If it waited on a worker of JUnit's pool, the pool would start another worker in
     * place of that one, and a thread holds the classes that were on the stack when it was started.
     */
    private static void start(Class<?> main, Path directory) {
        FutureTask<Boolean> run = new FutureTask<>(() -> accept(main, directory), true);
        new Thread(run, "application").start();
        try {
            run.get();
        } catch (ExecutionException e) {
            throw new AssertionError("The application has failed", e.getCause());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @SuppressWarnings("unchecked") // what a main class is
    private static void accept(Class<?> main, Path directory) {
        try {
            ((Consumer<Path>) main.getConstructor().newInstance()).accept(directory);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("The application cannot run", e);
        }
    }

    /** {@return the threads that hold classes of the application, each with its stack} */
    private static List<String> threadsOf(ClassLoader classes) {
        List<String> threads = new ArrayList<>();
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            boolean isOwn = thread.getContextClassLoader() == classes
                    || thread.getClass().getClassLoader() == classes;
            if (isOwn && thread != Thread.currentThread()) {
                threads.add(thread.getName() + " " + List.of(stack));
            }
        });
        return threads;
    }

    /** Loads the classes of the application itself, before those of the same name that its parent has. */
    private static final class Classes extends URLClassLoader {
        private final Predicate<String> isOwn;

        Classes(Predicate<String> isOwn) {
            super(classPath(), Application.class.getClassLoader());
            this.isOwn = isOwn;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded != null) {
                    return loaded;
                }
                if (isOwn.test(name) && !name.startsWith("java.")) {
                    try {
                        return findClass(name);
                    } catch (ClassNotFoundException ofTheJdk) {
                        return super.loadClass(name, resolve);
                    }
                }
                return super.loadClass(name, resolve);
            }
        }

        private static URL[] classPath() {
            return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                    .map(Classes::url)
                    .toArray(URL[]::new);
        }

        private static URL url(String entry) {
            try {
                return Path.of(entry).toUri().toURL();
            } catch (MalformedURLException e) {
                throw new IllegalArgumentException(entry, e);
            }
        }
    }
}
