package dev.couchjobs.annotations.internal;

import javax.annotation.processing.Messager;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.Element;
import javax.tools.Diagnostic;

/** Reports the errors of one compilation. */
final class Problems {
    private final Messager messager;
    private int count;

    Problems(Messager messager) {
        this.messager = messager;
    }

    void report(Element element, String message) {
        count++;
        messager.printMessage(Diagnostic.Kind.ERROR, message, element);
    }

    void report(Element element, AnnotationMirror annotation, AnnotationValue value, String message) {
        count++;
        messager.printMessage(Diagnostic.Kind.ERROR, message, element, annotation, value);
    }

    /** {@return how many there were so far} */
    int count() {
        return count;
    }
}
