package dev.couchjobs.annotations.internal;

import dev.couchjobs.annotations.JobBinding;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.annotation.processing.Filer;
import javax.lang.model.util.Elements;
import javax.tools.StandardLocation;

/** The file by which {@link java.util.ServiceLoader} finds the generated bindings. */
final class BindingServices {
    private static final String FILE = "META-INF/services/" + JobBinding.class.getName();
    private static final String BINDING = "$Binding";

    private final Filer filer;
    private final Elements elements;
    private final Set<String> names = new TreeSet<>();

    BindingServices(Filer filer, Elements elements) {
        this.filer = filer;
        this.elements = elements;
    }

    /** Adds the binding of a generated class. */
    void add(String generatedClass) {
        names.add(generatedClass + BINDING);
    }

    /** Writes the file, if there is a binding. */
    void write() throws IOException {
        if (!names.isEmpty()) {
            names.addAll(earlierNames());
            try (Writer writer = filer.createResource(StandardLocation.CLASS_OUTPUT, "", FILE)
                    .openWriter()) {
                writer.write(names.stream().map(name -> name + "\n").collect(Collectors.joining()));
            }
        }
    }

    /** {@return what an earlier compilation has found, of classes that remain: this one may be of a part of them} */
    private Set<String> earlierNames() throws IOException {
        try (BufferedReader reader = new BufferedReader(
                filer.getResource(StandardLocation.CLASS_OUTPUT, "", FILE).openReader(true))) {
            return reader.lines()
                    .filter(name -> elements.getTypeElement(name.replace('$', '.')) != null)
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            // There is no such file yet.
            return Set.of();
        }
    }
}
