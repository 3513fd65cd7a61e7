/* Reads an XML document from memory into a tree of elements.
 *
 * The header names no type of libxml2: its headers pull in ICU's, which collide with Foundation's own copy in one Swift
 * module.
 *
 * XML is hostile input. The reader opens no file and no connection, expands no entities but XML's own five and
 * character references, refuses documents that declare anything in an internal subset, and bounds size, depth and the
 * number of attributes. */

#ifndef CXMLREADER_H
#define CXMLREADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#define CXML_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define CXML_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#define CXML_NULLABLE _Nullable
#else
#define CXML_ASSUME_NONNULL_BEGIN
#define CXML_ASSUME_NONNULL_END
#define CXML_NULLABLE
#endif

/* The largest document that is read, in bytes. */
#define CXML_MAXIMUM_SIZE 268435456
/* How deep elements may be nested. */
#define CXML_MAXIMUM_DEPTH 100
/* How many attributes an element may have; libxml2's time is quadratic in it. */
#define CXML_MAXIMUM_ATTRIBUTES 1000

CXML_ASSUME_NONNULL_BEGIN

/* A document that was read, or the error that made it unreadable. */
typedef struct CXMLDocument CXMLDocument;
/* An element of a document; it lives as long as its document. */
typedef struct CXMLElement CXMLElement;

/* A place in the document. The line is counted from 1; the column from 1 in bytes. 0 stands for unknown. */
typedef struct CXMLPosition {
    int64_t line;
    int64_t column;
} CXMLPosition;

/* Parses a document in UTF-8. The bytes are not kept. Returns NULL only when memory runs out. */
CXMLDocument *CXML_NULLABLE CXMLDocumentCreate(const void *CXML_NULLABLE bytes, size_t length);
/* Frees a document with all its elements. */
void CXMLDocumentDestroy(CXMLDocument *CXML_NULLABLE document);

/* What is wrong with the document, in one line; NULL when it was read. */
const char *CXML_NULLABLE CXMLDocumentErrorMessage(const CXMLDocument *document);
/* Where reading failed. */
CXMLPosition CXMLDocumentErrorPosition(const CXMLDocument *document);

/* The outermost element; NULL when the document could not be read. */
const CXMLElement *CXML_NULLABLE CXMLDocumentRoot(const CXMLDocument *document);

/* The place of the document type declaration if it names a file outside of the document, which is not read; NULL
 * otherwise. */
const CXMLPosition *CXML_NULLABLE CXMLDocumentExternalSubset(const CXMLDocument *document);

/* The element's name, with its prefix. */
const char *CXMLElementName(const CXMLElement *element);
/* The place of the `<` of the element's start tag. */
CXMLPosition CXMLElementPosition(const CXMLElement *element);
/* Where the `<` of the element's start tag is in the bytes, counted from 0; the length of the bytes when unknown. */
size_t CXMLElementOffset(const CXMLElement *element);
/* The element's own text, without that of its children; not terminated by NUL within the length. */
const char *CXMLElementText(const CXMLElement *element, size_t *length);
/* The first child element. */
const CXMLElement *CXML_NULLABLE CXMLElementFirstChild(const CXMLElement *element);
/* The next element with the same parent. */
const CXMLElement *CXML_NULLABLE CXMLElementNextSibling(const CXMLElement *element);

/* The number of the element's attributes. */
size_t CXMLElementAttributeCount(const CXMLElement *element);
/* Which attribute has a name, with its prefix; the number of attributes when none has. */
size_t CXMLElementFindAttribute(const CXMLElement *element, const char *name);
/* The name, with its prefix, of an attribute, counted from 0 in document order. */
const char *CXMLElementAttributeName(const CXMLElement *element, size_t index);
/* The value of an attribute. */
const char *CXMLElementAttributeValue(const CXMLElement *element, size_t index);
/* The place of the first character of an attribute's name. */
CXMLPosition CXMLElementAttributePosition(const CXMLElement *element, size_t index);

CXML_ASSUME_NONNULL_END

#endif
