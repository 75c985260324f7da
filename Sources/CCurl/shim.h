#pragma once
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift cannot call: one function for each kind of argument.

static inline CURLcode posed_curl_set_text(CURL *handle, CURLoption option, const char *text) {
    return curl_easy_setopt(handle, option, text);
}

static inline CURLcode posed_curl_set_number(CURL *handle, CURLoption option, long number) {
    return curl_easy_setopt(handle, option, number);
}

static inline CURLcode posed_curl_set_size(CURL *handle, CURLoption option, curl_off_t size) {
    return curl_easy_setopt(handle, option, size);
}

static inline CURLcode posed_curl_set_pointer(CURL *handle, CURLoption option, void *pointer) {
    return curl_easy_setopt(handle, option, pointer);
}

/// Takes bytes of the head or the body; what it returns is how many it took, less ends the transfer.
typedef size_t (*posed_curl_taker)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode posed_curl_set_taker(CURL *handle, CURLoption option, posed_curl_taker taker) {
    return curl_easy_setopt(handle, option, taker);
}

/// Is asked at least once a second; anything but 0 ends the transfer.
typedef int (*posed_curl_observer)(void *context, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

static inline CURLcode posed_curl_set_observer(CURL *handle, posed_curl_observer observer) {
    return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, observer);
}

/// A figure of the transfer; 0 where it has none. CURLINFO_RESPONSE_CODE and others of type long.
static inline long posed_curl_number(CURL *handle, CURLINFO info) {
    long number = 0;
    return curl_easy_getinfo(handle, info, &number) == CURLE_OK ? number : 0;
}

/// A time of the transfer in microseconds; 0 where it was not reached. CURLINFO_CONNECT_TIME_T and others.
static inline curl_off_t posed_curl_time(CURL *handle, CURLINFO info) {
    curl_off_t time = 0;
    return curl_easy_getinfo(handle, info, &time) == CURLE_OK ? time : 0;
}
