package dev.couchjobs.annotations.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.annotation.processing.Processor;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Small sources, compiled with the processor and all of javac's warnings as errors. */
final class Compilation {
    private static final Pattern PACKAGE = Pattern.compile("package ([\\w.]+);");
    private static final Pattern MODULE = Pattern.compile("(?m)^module (\\w+)");
    private static final Pattern TYPE =
            Pattern.compile("(?m)^(?:public |final |abstract )*(?:class|record|interface|enum) (\\w+)");

    private final Path output;
    private final List<Diagnostic<? extends JavaFileObject>> diagnostics;

    private Compilation(Path output, List<Diagnostic<? extends JavaFileObject>> diagnostics) {
        this.output = output;
        this.diagnostics = diagnostics;
    }

    /** Compiles sources, each with one class or module at the left margin, into a directory. */
    static Compilation of(Path output, String... sources) {
        return of(output, List.of(new JobsAnnotationProcessor()), sources);
    }

    /** As {@link #of(Path, String...)}, with other processors. */
    static Compilation of(Path output, List<? extends Processor> processors, String... sources) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> collector = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            JavaCompiler.CompilationTask task = compiler.getTask(
                    null,
                    files,
                    collector,
                    options(output, sources),
                    null,
                    Arrays.stream(sources).map(Source::new).toList());
            task.setLocale(Locale.ROOT);
            task.setProcessors(processors);
            task.call();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Compilation(output, collector.getDiagnostics());
    }

    private static List<String> options(Path output, String... sources) {
        List<String> options = new ArrayList<>(List.of(
                "--release",
                "17",
                "-d",
                output.toString(),
                "-cp",
                output + System.getProperty("path.separator") + System.getProperty("java.class.path"),
                "-Xlint:all,-processing,-path,-classfile",
                "-Xdoclint:all/public",
                "-Werror"));
        Arrays.stream(sources)
                .flatMap(source -> MODULE.matcher(source).results())
                .forEach(module -> options.addAll(List.of("--add-reads", module.group(1) + "=ALL-UNNAMED")));
        return options;
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String text) {
            super(URI.create("string:///" + name(text).replace('.', '/') + ".java"), Kind.SOURCE);
            this.text = text;
        }

        private static String name(String text) {
            if (MODULE.matcher(text).find()) {
                return "module-info";
            }
            Matcher inPackage = PACKAGE.matcher(text);
            return (inPackage.find() ? inPackage.group(1) + "." : "")
                    + TYPE.matcher(text).results().findFirst().orElseThrow().group(1);
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** {@return the errors and warnings: the text in the source that each points at, and the message} */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        for (Diagnostic<? extends JavaFileObject> each : diagnostics) {
            problems.add(place(each) + ": " + each.getMessage(Locale.ROOT));
        }
        return problems;
    }

    /** {@return the source from the place of a problem to the end of its line} */
    private static String place(Diagnostic<? extends JavaFileObject> problem) {
        if (problem.getSource() == null || problem.getPosition() == Diagnostic.NOPOS) {
            return "-";
        }
        try {
            return problem.getSource()
                    .getCharContent(true)
                    .toString()
                    .substring((int) problem.getPosition())
                    .lines()
                    .findFirst()
                    .orElse("");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return a loader of the classes} */
    URLClassLoader loader() {
        try {
            return new URLClassLoader(
                    new URL[] {output.toUri().toURL()}, getClass().getClassLoader());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
