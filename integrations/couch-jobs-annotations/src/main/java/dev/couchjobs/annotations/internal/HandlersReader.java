package dev.couchjobs.annotations.internal;

import dev.couchjobs.annotations.Job;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.ExecutableType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;

/** Reads and checks the classes with job methods of one compilation. */
final class HandlersReader {
    /** What javac has in place of a value that names an unknown class or constant. */
    private static final String UNKNOWN = "<error>";

    private final Elements elements;
    private final Types types;
    private final Problems problems;
    private final Map<String, String> methodsByType = new HashMap<>();

    HandlersReader(Elements elements, Types types, Problems problems) {
        this.elements = elements;
        this.types = types;
        this.problems = problems;
    }

    /**
     * {@return whether the compiler knows all types and constants that the job methods of a class and their annotations
     * name} If not, another processor may yet write them.
     */
    static boolean isComplete(TypeElement type) {
        return ElementFilter.methodsIn(type.getEnclosedElements()).stream()
                .allMatch(method -> annotation(method).stream()
                        .allMatch(job -> isKnown(job) && isKnown((ExecutableType) method.asType())));
    }

    private static boolean isKnown(ExecutableType method) {
        return Stream.of(List.of(method.getReturnType()), method.getParameterTypes(), method.getThrownTypes())
                .flatMap(List::stream)
                .allMatch(HandlersReader::isKnown);
    }

    private static boolean isKnown(AnnotationMirror annotation) {
        return annotation.getElementValues().values().stream().allMatch(HandlersReader::isKnown);
    }

    private static boolean isKnown(AnnotationValue value) {
        Object content = value.getValue();
        if (content instanceof List<?> parts) {
            return parts.stream().map(AnnotationValue.class::cast).allMatch(HandlersReader::isKnown);
        }
        if (content instanceof AnnotationMirror annotation) {
            return isKnown(annotation);
        }
        return content instanceof TypeMirror type ? isKnown(type) : !content.equals(UNKNOWN);
    }

    private static boolean isKnown(TypeMirror type) {
        return switch (type.getKind()) {
            case ERROR -> false;
            case ARRAY -> isKnown(((ArrayType) type).getComponentType());
            case DECLARED -> ((DeclaredType) type).getTypeArguments().stream().allMatch(HandlersReader::isKnown);
            default -> true;
        };
    }

    /** {@return the class; empty if it has an error, which is reported} */
    Optional<Handlers> read(TypeElement type) {
        int before = problems.count();
        checkClass(type);
        PayloadRules rules = new PayloadRules(elements, types, elements.getPackageOf(type));
        MethodReader reader = new MethodReader(elements, types, problems, rules, methodsByType);
        List<JobMethod> methods = new ArrayList<>();
        for (ExecutableElement method : ElementFilter.methodsIn(type.getEnclosedElements())) {
            annotation(method).flatMap(job -> reader.read(method, job)).ifPresent(methods::add);
        }
        return problems.count() == before
                ? Optional.of(new Handlers(
                        type, elements.getPackageOf(type).getQualifiedName().toString(), methods))
                : Optional.empty();
    }

    private static Optional<? extends AnnotationMirror> annotation(ExecutableElement method) {
        return method.getAnnotationMirrors().stream()
                .filter(annotation ->
                        TypeNames.of(annotation.getAnnotationType()).equals(Job.class.getName()))
                .findFirst();
    }

    private void checkClass(TypeElement type) {
        if (!type.getTypeParameters().isEmpty()) {
            problems.report(
                    type,
                    "Class " + type.getSimpleName() + " has job methods and type parameters, which no stored job can"
                            + " fill: move the methods to a class without them.");
        }
        if (type.getNestingKind().isNested()
                && type.getKind() == ElementKind.CLASS
                && !type.getModifiers().contains(Modifier.STATIC)) {
            problems.report(
                    type, "Class " + type.getSimpleName() + " has job methods and is an inner class: make it static.");
        }
        for (Element each = type; each instanceof TypeElement; each = each.getEnclosingElement()) {
            if (each.getModifiers().contains(Modifier.PRIVATE)) {
                problems.report(
                        each,
                        "Class " + each.getSimpleName() + " is private, and the generated class cannot use the job"
                                + " methods in it: remove private.");
            }
        }
    }
}
