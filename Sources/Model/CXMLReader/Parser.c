#include "Parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep_error(Parse *parse, const char *message, CXMLPosition position) {
    CXMLDocument *document = parse->document;
    if (document->has_error) return;
    document->has_error = true;
    document->error_position = position;
    /* libxml2 ends messages with a line feed, and shows offending bytes on lines of their own. */
    size_t length = strcspn(message, "\n");
    if (length >= sizeof document->error_message) length = sizeof document->error_message - 1;
    memcpy(document->error_message, message, length);
    document->error_message[length] = 0;
}

CXMLPosition CXMLParseReached(const Parse *parse) {
    CXMLPosition unknown = {0, 0};
    long offset = xmlByteConsumed(parse->context);
    if (offset < 0) return unknown;
    SourceCursor cursor = CXMLSourceCursorMake(parse->cursor.text, parse->cursor.length);
    if ((size_t)offset < cursor.counted) return unknown;
    return CXMLSourceCursorPosition(&cursor, (size_t)offset);
}

void CXMLParseRefuse(Parse *parse, const char *message, CXMLPosition position) {
    keep_error(parse, message, position);
    xmlStopParser(parse->context);
}

static void refuse_for_memory(Parse *parse) {
    CXMLParseRefuse(parse, "There is not enough memory to read the document", CXMLParseReached(parse));
}

static char *copy_name(Parse *parse, const xmlChar *prefix, const xmlChar *name) {
    size_t prefix_length = prefix == NULL ? 0 : strlen((const char *)prefix) + 1;
    size_t name_length = strlen((const char *)name);
    char *copy = CXMLArenaAllocate(&parse->document->arena, prefix_length + name_length + 1);
    if (copy == NULL) return NULL;
    if (prefix != NULL) {
        memcpy(copy, prefix, prefix_length - 1);
        copy[prefix_length - 1] = ':';
    }
    memcpy(copy + prefix_length, name, name_length);
    return copy;
}

/* Copies an attribute's value. libxml2 hands an ampersand over as a reference still, and all else as it is. */
static char *copy_value(Parse *parse, const xmlChar *begin, const xmlChar *end) {
    static const char reference[] = "&#38;";
    size_t reference_length = sizeof reference - 1;
    char *copy = CXMLArenaCopy(&parse->document->arena, (const char *)begin, (size_t)(end - begin));
    if (copy == NULL) return NULL;
    char *target = strstr(copy, reference);
    if (target == NULL) return copy;
    for (const char *source = target; *source != 0;) {
        bool is_reference = strncmp(source, reference, reference_length) == 0;
        *target++ = *source;
        source += is_reference ? reference_length : 1;
    }
    *target = 0;
    return copy;
}

/* Gives an element and its attributes their places. */
static void locate(Parse *parse, CXMLElement *element) {
    SourceCursor *cursor = &parse->cursor;
    size_t start = 0;
    element->offset = cursor->length;
    if (!parse->has_positions) return;
    parse->has_positions =
        CXMLSourceCursorNextStartTag(cursor, &start) && CXMLSourceCursorSkipName(cursor, element->name);
    if (!parse->has_positions) return;
    element->position = CXMLSourceCursorPosition(cursor, start);
    element->offset = start;
    size_t index = 0;
    size_t name_length = 0;
    while (CXMLSourceCursorNextAttribute(cursor, &start, &name_length)) {
        if (index >= element->attribute_count) continue;
        const char *name = element->attributes[index].name;
        /* Namespace declarations stand in the text, but are no attributes. */
        if (strlen(name) != name_length || memcmp(name, cursor->text + start, name_length) != 0) continue;
        element->attributes[index].position = CXMLSourceCursorPosition(cursor, start);
        index += 1;
    }
}

static void start_element(
    void *user_data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
    const xmlChar **namespaces, int attribute_count, int default_count, const xmlChar **attributes
) {
    (void)uri, (void)namespace_count, (void)namespaces, (void)default_count;
    Parse *parse = user_data;
    if (parse->document->has_error) return;
    Arena *arena = &parse->document->arena;
    CXMLElement *element = CXMLArenaAllocate(arena, sizeof *element);
    if (element == NULL) {
        refuse_for_memory(parse);
        return;
    }
    element->name = copy_name(parse, prefix, name);
    if (element->name == NULL) {
        refuse_for_memory(parse);
        return;
    }
    if (attribute_count > 0) {
        element->attributes = CXMLArenaAllocate(arena, (size_t)attribute_count * sizeof *element->attributes);
        if (element->attributes == NULL) {
            refuse_for_memory(parse);
            return;
        }
        for (int index = 0; index < attribute_count; index += 1) {
            /* Five pointers: name, prefix, namespace, the value's begin and its end. */
            const xmlChar **fields = attributes + 5 * index;
            Attribute *attribute = &element->attributes[index];
            attribute->name = copy_name(parse, fields[1], fields[0]);
            attribute->value = copy_value(parse, fields[3], fields[4]);
            if (attribute->name == NULL || attribute->value == NULL) {
                refuse_for_memory(parse);
                return;
            }
        }
        element->attribute_count = (size_t)attribute_count;
    }
    locate(parse, element);
    parse->depth += 1;
    if (parse->depth > CXML_MAXIMUM_DEPTH) {
        char message[100];
        snprintf(message, sizeof message, "Elements are nested more than %d deep", CXML_MAXIMUM_DEPTH);
        CXMLParseRefuse(parse, message, element->position);
        return;
    }
    CXMLElement *parent = parse->current;
    element->parent = parent;
    if (parent == NULL) {
        parse->document->root = element;
    } else if (parent->last_child == NULL) {
        parent->first_child = element;
        parent->last_child = element;
    } else {
        parent->last_child->next_sibling = element;
        parent->last_child = element;
    }
    parse->current = element;
}

static void end_element(void *user_data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
    (void)name, (void)prefix, (void)uri;
    Parse *parse = user_data;
    if (parse->document->has_error || parse->current == NULL) return;
    parse->current = parse->current->parent;
    parse->depth -= 1;
}

static void add_text(void *user_data, const xmlChar *characters, int length) {
    Parse *parse = user_data;
    CXMLElement *element = parse->current;
    if (parse->document->has_error || element == NULL || length <= 0) return;
    size_t needed = element->text_length + (size_t)length;
    if (needed > element->text_capacity) {
        size_t capacity = needed > 2 * element->text_capacity ? needed : 2 * element->text_capacity;
        char *text = CXMLArenaAllocate(&parse->document->arena, capacity);
        if (text == NULL) {
            refuse_for_memory(parse);
            return;
        }
        if (element->text_length > 0) memcpy(text, element->text, element->text_length);
        element->text = text;
        element->text_capacity = capacity;
    }
    memcpy(element->text + element->text_length, characters, (size_t)length);
    element->text_length = needed;
}

/* The type of the parameter differs between versions of libxml2, by a const. */
#if LIBXML_VERSION >= 21200
static void note_error(void *user_data, const xmlError *error) {
#else
static void note_error(void *user_data, xmlErrorPtr error) {
#endif
    Parse *parse = user_data;
    if (error == NULL || error->level != XML_ERR_FATAL || parse->document->has_error) return;
    CXMLPosition position = CXMLParseReached(parse);
    if (position.line == 0) position.line = error->line;
    keep_error(parse, error->message == NULL ? "The document is not well-formed" : error->message, position);
}

static void parse_document(Parse *parse, const char *bytes, size_t length) {
    xmlSAXHandler handler;
    memset(&handler, 0, sizeof handler);
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = start_element;
    handler.endElementNs = end_element;
    handler.characters = add_text;
    handler.ignorableWhitespace = add_text;
    handler.cdataBlock = add_text;
    CXMLRefuseDeclarations(&handler);
    handler.serror = note_error;

    xmlParserCtxtPtr context = xmlNewParserCtxt();
    if (context == NULL || context->sax == NULL) {
        xmlFreeParserCtxt(context);
        CXMLPosition unknown = {0, 0};
        keep_error(parse, "There is not enough memory to read the document", unknown);
        return;
    }
    parse->context = context;
    *context->sax = handler;
    context->userData = parse;
    /* The format is UTF-8, whatever the document says of itself: the cursor and the limits rely on it. Without NOENT no
     * entity is ever substituted but XML's own. */
    int options = XML_PARSE_NONET | XML_PARSE_IGNORE_ENC | XML_PARSE_BIG_LINES;
    xmlFreeDoc(xmlCtxtReadMemory(context, bytes, (int)length, NULL, "UTF-8", options));
    if (!context->wellFormed || parse->document->root == NULL) {
        keep_error(parse, "The document is not well-formed", CXMLParseReached(parse));
    }
    xmlFreeParserCtxt(context);
}

CXMLDocument *CXMLDocumentCreate(const void *bytes, size_t length) {
    CXMLDocument *document = calloc(1, sizeof *document);
    if (document == NULL) return NULL;
    const char *text = bytes;
    CXMLPosition start = {1, 1};
    Parse parse = {.document = document, .has_positions = true};
    size_t offset = 0;
    if (text == NULL || length == 0) {
        keep_error(&parse, "The document is empty", start);
        return document;
    }
    if (length > CXML_MAXIMUM_SIZE) {
        keep_error(&parse, "The document is larger than 256 MB", start);
        return document;
    }
    if (length >= 2 && (memcmp(text, "\xFE\xFF", 2) == 0 || memcmp(text, "\xFF\xFE", 2) == 0)) {
        keep_error(&parse, "The document is in UTF-16, and the format is UTF-8", start);
        return document;
    }
    parse.cursor = CXMLSourceCursorMake(text, length);
    if (CXMLSourceHasTagWithMoreAttributes(text, length, CXML_MAXIMUM_ATTRIBUTES, &offset)) {
        char message[100];
        snprintf(message, sizeof message, "An element has more than %d attributes", CXML_MAXIMUM_ATTRIBUTES);
        keep_error(&parse, message, CXMLSourceCursorPosition(&parse.cursor, offset));
        return document;
    }
    xmlInitParser();
    parse_document(&parse, text, length);
    return document;
}
