package dev.couchjobs.annotations.internal;

import dev.couchjobs.annotations.Job;
import java.io.IOException;
import java.io.Writer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.FilerException;
import javax.annotation.processing.ProcessingEnvironment;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import javax.tools.Diagnostic;

/**
 * Writes a class beside each class with {@link Job} methods, and one file that lists them all: which is why it is
 * registered with Gradle as aggregating.
 */
public final class JobsAnnotationProcessor extends AbstractProcessor {
    private Elements elements;
    private Types types;
    private Problems problems;
    private HandlersReader reader;
    private BindingServices services;

    /** The names of classes that are still to be read: a type that they name may be written in a later round. */
    private final Set<String> waiting = new LinkedHashSet<>();

    /** Called by the compiler. */
    public JobsAnnotationProcessor() {}

    @Override
    public synchronized void init(ProcessingEnvironment environment) {
        super.init(environment);
        elements = environment.getElementUtils();
        types = environment.getTypeUtils();
        problems = new Problems(environment.getMessager());
        reader = new HandlersReader(elements, types, problems);
        services = new BindingServices(environment.getFiler(), elements);
    }

    @Override
    public SourceVersion getSupportedSourceVersion() {
        return SourceVersion.latestSupported();
    }

    @Override
    public Set<String> getSupportedAnnotationTypes() {
        return Set.of(Job.class.getName());
    }

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
        for (Element method : round.getElementsAnnotatedWith(Job.class)) {
            if (method.getEnclosingElement() instanceof TypeElement type) {
                waiting.add(type.getQualifiedName().toString());
            }
        }
        if (round.processingOver()) {
            if (!round.errorRaised()) {
                writeServices();
            }
            return false;
        }
        for (String name : List.copyOf(waiting)) {
            TypeElement type = elements.getTypeElement(name);
            if (HandlersReader.isComplete(type)) {
                waiting.remove(name);
                reader.read(type).ifPresent(this::write);
            }
        }
        return false;
    }

    private void write(Handlers handlers) {
        String name = handlers.qualifiedGeneratedName();
        try (Writer writer =
                processingEnv.getFiler().createSourceFile(name, handlers.type()).openWriter()) {
            writer.write(new JobsClassSource(elements, types, handlers).text());
            services.add(name);
        } catch (FilerException e) {
            problems.report(
                    handlers.type(),
                    "There is a class " + name + " already, and that for the job methods of "
                            + handlers.type().getSimpleName() + " would have its name: rename one of the two.");
        } catch (IOException e) {
            problems.report(handlers.type(), "Cannot write " + name + ": " + e);
        }
    }

    private void writeServices() {
        try {
            services.write();
        } catch (IOException e) {
            processingEnv.getMessager().printMessage(Diagnostic.Kind.ERROR, "Cannot list the bindings: " + e);
        }
    }
}
