#include "Document.h"

#include <stdlib.h>
#include <string.h>

void CXMLDocumentDestroy(CXMLDocument *document) {
    if (document == NULL) return;
    CXMLArenaDestroy(&document->arena);
    free(document);
}

const char *CXMLDocumentErrorMessage(const CXMLDocument *document) {
    return document->has_error ? document->error_message : NULL;
}

CXMLPosition CXMLDocumentErrorPosition(const CXMLDocument *document) { return document->error_position; }

const CXMLElement *CXMLDocumentRoot(const CXMLDocument *document) {
    return document->has_error ? NULL : document->root;
}

const CXMLPosition *CXMLDocumentExternalSubset(const CXMLDocument *document) {
    return document->has_external_subset ? &document->external_subset_position : NULL;
}

const char *CXMLElementName(const CXMLElement *element) { return element->name; }

CXMLPosition CXMLElementPosition(const CXMLElement *element) { return element->position; }

size_t CXMLElementOffset(const CXMLElement *element) { return element->offset; }

const char *CXMLElementText(const CXMLElement *element, size_t *length) {
    *length = element->text_length;
    return element->text == NULL ? "" : element->text;
}

const CXMLElement *CXMLElementFirstChild(const CXMLElement *element) { return element->first_child; }

const CXMLElement *CXMLElementNextSibling(const CXMLElement *element) { return element->next_sibling; }

size_t CXMLElementAttributeCount(const CXMLElement *element) { return element->attribute_count; }

size_t CXMLElementFindAttribute(const CXMLElement *element, const char *name) {
    size_t index = 0;
    while (index < element->attribute_count && strcmp(element->attributes[index].name, name) != 0) index += 1;
    return index;
}

const char *CXMLElementAttributeName(const CXMLElement *element, size_t index) {
    return element->attributes[index].name;
}

const char *CXMLElementAttributeValue(const CXMLElement *element, size_t index) {
    return element->attributes[index].value;
}

CXMLPosition CXMLElementAttributePosition(const CXMLElement *element, size_t index) {
    return element->attributes[index].position;
}
